import { LiteParse } from '@llamaindex/liteparse';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Metadata } from '../../../src/shared/document-metadata.ts';
import type { Files } from '../pandoc/engine.ts';
import { paragraphsOf } from './page.ts';
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
  warnings: string[];
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
      return {
        from: 'json',
        document: tagged.json,
        pictures: tagged.pictures,
        metadata,
        warnings: [],
      };
    }
    const { images, pages } = await layout();
    const texts: string[] = [];
    const empty: number[] = [];
    for (const { markdown, text, pageNum } of pages) {
      const plain = await plainOf(pdf, pageNum);
      texts.push(isLost(markdown, plain) ? plain : asText(markdown));
      if (!letter.test(plain + text)) empty.push(pageNum);
    }
    if (empty.length === pages.length) {
      throw new PdfError('the PDF has no text; scanned pages are not supported');
    }
    const pictures = Object.fromEntries(images.map(({ name, bytes }) => [name, bytes]));
    // A page without text and pictures is blank.
    const scanned = empty.filter((number) => images.some(({ page }) => page === number));
    const warnings = scanned.length > 0 ? [`no text on ${pageList(scanned)}, only pictures`] : [];
    return { from: 'gfm', document: texts.join('\n\n'), pictures, metadata, warnings };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

const letter = /[\p{L}\p{N}]/u;
const lettersIn = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** Smallest share of a page's letters that the parser's Markdown must have. */
const minShare = 0.9;

async function plainOf(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const text = await paragraphsOf(page);
  page.cleanup();
  return text;
}

const rightToLeft =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * Whether the parser's Markdown of a page is worse than plain paragraphs. The parser leaves out text that is
 * not upright, has right-to-left text in the order of the page, and loses characters beyond the Basic
 * Multilingual Plane.
 */
const isLost = (markdown: string, plain: string): boolean =>
  lettersIn(markdown) < minShare * lettersIn(plain) ||
  rightToLeft.test(plain) ||
  [...new Set(plain.match(/[\u{10000}-\u{10FFFF}]/gu))].some((one) => !markdown.includes(one));

/** Number of pages that a warning names. */
const maxNamed = 20;

const pageList = (pages: number[]): string =>
  `${pages.length === 1 ? 'page' : 'pages'} ${pages.slice(0, maxNamed).join(', ')}` +
  (pages.length > maxNamed ? ` and ${pages.length - maxNamed} more` : '');

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
