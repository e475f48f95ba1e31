import { LiteParse } from '@llamaindex/liteparse';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Metadata } from '../../../src/shared/document-metadata.ts';
import type { Files } from '../pandoc/engine.ts';
import { readTagged } from './tagged.ts';

/** The PDF cannot be read; the message gives the cause. */
export class PdfError extends Error {}

export interface PdfContent {
  /** The format of `document`: GitHub Flavored Markdown, or pandoc's JSON. */
  from: 'gfm' | 'json';
  document: string;
  /** The pictures by their path in the document. */
  pictures: Files;
  metadata: Metadata;
}

const parser = new LiteParse({
  ocrEnabled: false,
  outputFormat: 'markdown',
  imageMode: 'embed',
  extractImages: true,
  extractLinks: true,
  quiet: true,
});

/**
 * Reads the text of a PDF with its structure: from its tags, or without tags from the layout of its pages.
 * Throws PdfError.
 */
export async function readPdf(bytes: Uint8Array): Promise<PdfContent> {
  const pdf = await open(bytes);
  try {
    const metadata = await metadataOf(pdf);
    const layout = lazy(() => parse(bytes));
    const tagged = await readTagged(pdf, async () =>
      Map.groupBy(
        (await layout()).images.map(({ page, name, bytes }) => ({ page, path: name, bytes })),
        ({ page }) => page,
      ),
    );
    if (tagged) {
      return { from: 'json', document: tagged.json, pictures: tagged.pictures, metadata };
    }
    const { text, images, pages } = await layout();
    const words = pages.flatMap(({ textItems }) => textItems.map((item) => item.text)).join(' ');
    if (!/[\p{L}\p{N}]/u.test(words)) {
      throw new PdfError('the PDF has no text; scanned pages are not supported');
    }
    const pictures = Object.fromEntries(images.map(({ name, bytes }) => [name, bytes]));
    return { from: 'gfm', document: asText(text), pictures, metadata };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/**
 * Cleans up the parser's Markdown: escapes `<` outside of code, because the parser does not, and removes the
 * rules of five hyphens that separate pages.
 */
const asText = (markdown: string) =>
  markdown
    .replaceAll(/^-{5}$/gm, '')
    .replaceAll(
      /(```[^]*?```|`[^`\n]*`)|<br ?\/?>|<(?=[a-z/!?])/gi,
      (found, code?: string) => code ?? (found === '<' ? '\\<' : ' '),
    );

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  try {
    // A copy, because pdf.js transfers the buffer to its worker.
    return await getDocument({ data: bytes.slice(), verbosity: 0 }).promise;
  } catch (error) {
    const { name, message } = error as Error;
    throw new PdfError(
      name === 'PasswordException'
        ? 'the PDF is encrypted; send it without its password'
        : `the PDF cannot be read: ${message}`,
    );
  }
}

async function parse(bytes: Uint8Array) {
  try {
    return await parser.parse(bytes);
  } catch (error) {
    throw new PdfError(`the PDF cannot be read: ${(error as Error).message}`);
  }
}

function lazy<T>(work: () => T): () => T {
  let result: { value: T } | undefined;
  return () => (result ??= { value: work() }).value;
}

/** Reads the document information dictionary (ISO 32000-2, 14.3.3). */
async function metadataOf(pdf: PDFDocumentProxy): Promise<Metadata> {
  const info = (await pdf.getMetadata()).info as Record<string, unknown>;
  const text = (name: string) => (typeof info[name] === 'string' ? info[name].trim() : '');
  const list = (name: string) =>
    text(name)
      .split(/\s*[;,]\s*/)
      .filter(Boolean);
  const found = {
    title: text('Title'),
    authors: list('Author').map((name) => ({ name })),
    abstract: text('Subject'),
    keywords: list('Keywords'),
    date: text('CreationDate').replace(/^D:(\d{4})(\d\d)?(\d\d)?.*$/, (_, ...parts: string[]) =>
      parts.slice(0, 3).filter(Boolean).join('-'),
    ),
    language: text('Language'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value.length > 0));
}
