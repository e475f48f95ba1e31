import { LiteParse, type ParseResult } from '@llamaindex/liteparse';
import { XMLParser } from 'fast-xml-parser';
import type { Metadata } from '../../../src/tools/convert-document/metadata.ts';
import type { Files } from '../pandoc/engine.ts';

/** Why a PDF cannot be read. */
export class PdfError extends Error {}

export interface PdfContent {
  /** As GitHub has it. */
  markdown: string;
  /** By the path that the Markdown names. */
  pictures: Files;
  metadata: Metadata;
}

const parser = new LiteParse({
  ocrEnabled: false,
  outputFormat: 'markdown',
  imageMode: 'embed',
  extractImages: true,
  extractLinks: true,
  extractDocumentMetadata: true,
  quiet: true,
});

/** Recovers the text of a PDF with its structure. Throws PdfError. */
export async function readPdf(bytes: Uint8Array): Promise<PdfContent> {
  // The header may be anywhere in the first kilobyte (PDF 1.7, Annex H.3.4.1). Without one the parser
  // would take the file for something else and look for programs to convert it.
  if (!Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-')) {
    throw new PdfError('the document is no PDF');
  }
  const parsed = await parser.parse(bytes).catch((error: Error) => {
    throw new PdfError(
      /password|encrypt/i.test(error.message)
        ? 'the PDF is encrypted; send it without its password'
        : `the PDF cannot be read: ${error.message.replace(/^PDF error: /, '')}`,
    );
  });
  if (!parsed.pages.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) {
    throw new PdfError(
      'the PDF has no text: its pages are pictures, which are not recognised here',
    );
  }
  return {
    markdown: parsed.text,
    pictures: Object.fromEntries(parsed.images.map(({ name, bytes }) => [name, bytes])),
    metadata: metadataOf(parsed),
  };
}

const xml = new XMLParser({ removeNSPrefix: true, ignoreAttributes: false });

/** From the packet of XMP (ISO 16684-1), whose properties are texts, lists or alternatives. */
function metadataOf({ docMeta }: ParseResult): Metadata {
  const xmp = docMeta?.xmp && !docMeta.xmpTruncated ? docMeta.xmp : '<x/>';
  const descriptions: unknown = xml.parse(xmp).xmpmeta?.RDF?.Description ?? {};
  const all = Object.assign({}, ...[descriptions].flat()) as Record<string, unknown>;
  const values = (property: unknown): string[] => {
    if (typeof property === 'string' || typeof property === 'number') return [String(property)];
    if (Array.isArray(property)) return property.flatMap(values);
    if (typeof property !== 'object' || property === null) return [];
    const { Alt, Bag, Seq, li, '#text': text } = property as Record<string, unknown>;
    return values(Alt ?? Bag ?? Seq ?? li ?? text);
  };
  const first = (property: unknown) => values(property)[0] ?? '';
  const found = {
    title: first(all.title),
    authors: values(all.creator).map((name) => ({ name })),
    abstract: first(all.description),
    keywords: [...values(all.subject), ...first(all.Keywords).split(/\s*[;,]\s*/)].filter(Boolean),
    date: first(all.CreateDate),
    language: first(all.language),
    license: first(all.rights),
    doi: first(all.doi),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value.length > 0));
}
