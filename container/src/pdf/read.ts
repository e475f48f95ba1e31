import { LiteParse } from '@llamaindex/liteparse';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Metadata } from '../../../src/tools/convert-document/metadata.ts';
import type { Files } from '../pandoc/engine.ts';
import { readTagged } from './tagged.ts';

/** Why a PDF cannot be read. */
export class PdfError extends Error {}

export interface PdfContent {
  /** What `document` is: GitHub's Markdown, or pandoc's JSON. */
  from: 'gfm' | 'json';
  document: string;
  /** By the path that the document names. */
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
 * Recovers the text of a PDF with its structure: as its tags have it, or else as its pages look.
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
      throw new PdfError('the PDF has no text; pages that are pictures are not recognised');
    }
    const pictures = Object.fromEntries(images.map(({ name, bytes }) => [name, bytes]));
    return { from: 'gfm', document: asText(text), pictures, metadata };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/**
 * The parser's Markdown, in which what looks like HTML is text, but in code, and a rule of five hyphens
 * the end of a page.
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
    // A copy: pdf.js takes what it is given for its own.
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

/** From the document information dictionary (ISO 32000-2, 14.3.3). */
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
