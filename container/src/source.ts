import { unzipSync } from 'fflate';
import { XMLParser } from 'fast-xml-parser';
import { fileTypeFromBuffer } from 'file-type';
import { invalidInput } from '../../src/errors.ts';
import { base64Fault, fromBase64 } from '../../src/tools/bytes.ts';
import { isBinary, type InputFormat } from '../../src/tools/convert-document/formats.ts';
import type { Metadata } from '../../src/tools/convert-document/metadata.ts';

interface Given {
  content: string | Uint8Array;
  content_encoding: 'text' | 'base64';
  from: InputFormat;
}

/** The document as bytes, and texts as UTF-8. Throws ServiceError (422). */
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

/** Text that is UTF-8, or UTF-16 by its byte order mark, without the mark. */
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

const extensions: Record<string, InputFormat> = {
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  tex: 'latex',
  latex: 'latex',
  rst: 'rst',
  rest: 'rst',
  txt: 'plain',
  text: 'plain',
};

/** What a file is, by its content, and for texts that do not tell by its name. */
export async function formatOf(bytes: Uint8Array, name = ''): Promise<InputFormat | undefined> {
  const kind = (await fileTypeFromBuffer(bytes))?.ext;
  if (kind === 'docx' || kind === 'odt' || kind === 'epub' || kind === 'pdf') return kind;
  const start = Buffer.from(bytes.subarray(0, 4096)).toString();
  if (
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(
      start,
    )
  ) {
    return 'html';
  }
  if (/^[^%\n]*\\document(?:class|style)\b/m.test(start)) return 'latex';
  return extensions[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
}

const xml = new XMLParser({ removeNSPrefix: true, processEntities: false });

/** What Word and OpenDocument files say of themselves beside their text (Dublin Core). */
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

/** Properties in a part of the file; none where the part is missing or unreadable. */
function dublinCore(bytes: Uint8Array, path: string): Record<string, unknown> {
  try {
    const small = 1_000_000;
    const part = unzipSync(bytes, {
      filter: (file) => file.name === path && file.originalSize < small,
    });
    const root = xml.parse(Buffer.from(part[path]!).toString()) as {
      coreProperties?: Record<string, unknown>;
      'document-meta'?: { meta: Record<string, unknown> };
    };
    return root.coreProperties ?? root['document-meta']!.meta;
  } catch {
    return {};
  }
}
