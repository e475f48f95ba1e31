import { unzipSync } from 'fflate';
import { XMLParser } from 'fast-xml-parser';
import { fileTypeFromBuffer } from 'file-type';
import { invalidInput } from '../../src/errors.ts';
import {
  formatWithExtension,
  isBinary,
  type InputFormat,
} from '../../src/shared/document-formats.ts';
import type { Metadata } from '../../src/shared/document-metadata.ts';
import { base64Fault, fromBase64 } from '../../src/tools/bytes.ts';

interface Given {
  content: string | Uint8Array;
  content_encoding: 'text' | 'base64';
  from: InputFormat;
}

/** Returns the document as bytes; a text as UTF-8. Throws ServiceError (422). */
export function contentOf({ content, content_encoding, from }: Given): Uint8Array {
  if (typeof content === 'string') {
    if (!isBinary(from) && content_encoding === 'text') return new TextEncoder().encode(content);
    const bytes = fromBase64(content);
    if (!bytes) {
      const where = isBinary(from) ? ` for ${from}` : '';
      throw invalidInput('content', `must be base64${where}: ${base64Fault(content)}`);
    }
    return isBinary(from) ? bytes : asUtf8(bytes);
  }
  return isBinary(from) ? content : asUtf8(content);
}

/** Converts text to UTF-8 without a byte order mark. The mark tells UTF-16 from UTF-8. */
function asUtf8(bytes: Uint8Array): Uint8Array {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : 'utf-8';
  try {
    return new TextEncoder().encode(
      new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes),
    );
  } catch {
    throw invalidInput('content', 'must be text in UTF-8');
  }
}

/**
 * Detects the format of a file by its content, and if that is ambiguous by its name. A README in Markdown is
 * GitHub's Markdown.
 */
export async function formatOf(bytes: Uint8Array, name = ''): Promise<InputFormat | undefined> {
  const kind = (await fileTypeFromBuffer(bytes))?.ext;
  if (kind && isBinary(kind)) return formatWithExtension(kind);
  const start = Buffer.from(bytes.subarray(0, 4096)).toString();
  if (
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(
      start,
    )
  ) {
    return 'html';
  }
  if (/^[^%\n]*\\document(?:class|style)\b/m.test(start)) return 'latex';
  if (/^readme\b.*\.(?:md|markdown)$/i.test(name)) return 'gfm';
  return formatWithExtension(/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '');
}

const xml = new XMLParser({ removeNSPrefix: true, processEntities: false });

/** Returns warnings about tracked changes and comments of a Word document, which are not in the result. */
export function revisionWarnings(docx: Uint8Array): string[] {
  const [body = '', notes = ''] = ['word/document.xml', 'word/comments.xml'].map((path) =>
    partOf(docx, path, 50_000_000),
  );
  const count = (text: string, element: RegExp) => text.match(element)?.length ?? 0;
  const changes = count(body, /<w:(?:ins|del|moveFrom|moveTo) /g);
  const comments = count(notes, /<w:comment /g);
  const choose = 'options.track_changes chooses';
  return [
    ...(changes > 0 ? [`${changes} tracked changes are accepted; ${choose} otherwise`] : []),
    ...(comments > 0 ? [`${comments} comments are left out; ${choose} otherwise`] : []),
  ];
}

/** Returns the Dublin Core properties of a Word or OpenDocument file. */
export function propertiesOf(from: InputFormat, bytes: Uint8Array): Metadata {
  const path = { docx: 'docProps/core.xml', odt: 'meta.xml' }[from as string];
  if (!path) return {};
  const all = dublinCore(bytes, path);
  const text = (name: string) => [all[name] ?? ''].flat().map(String).find(Boolean) ?? '';
  const found = {
    title: text('title'),
    authors: text('creator')
      .split(/\s*;\s*/)
      .filter(Boolean)
      .map((name) => ({ name })),
    abstract: text('description'),
    keywords: [all.keywords, all.keyword]
      .flat()
      .flatMap((words) => String(words ?? '').split(/\s*[;,]\s*/))
      .filter(Boolean),
    date: text('created') || text('creation-date') || text('date'),
    language: text('language'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value.length > 0));
}

/** Returns the properties in one part of the file; none if the part is missing or malformed. */
function dublinCore(bytes: Uint8Array, path: string): Record<string, unknown> {
  try {
    const root = xml.parse(partOf(bytes, path, 1_000_000)!) as {
      coreProperties?: Record<string, unknown>;
      'document-meta'?: { meta: Record<string, unknown> };
    };
    return root.coreProperties ?? root['document-meta']!.meta;
  } catch {
    return {};
  }
}

/** Returns a part of a zipped document as text; undefined if it is missing, too large or malformed. */
function partOf(bytes: Uint8Array, path: string, maxBytes: number): string | undefined {
  try {
    const parts = unzipSync(bytes, {
      filter: (file) => file.name === path && file.originalSize < maxBytes,
    });
    return Buffer.from(parts[path]!).toString();
  } catch {
    return undefined;
  }
}
