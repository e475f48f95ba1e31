import { fileTypeFromBuffer } from 'file-type';
import { isPositionIndependentExecutable } from './elf.ts';
import { decodeText, sampleSize, type DecodedText } from './encoding.ts';
import { isArchive, kindOf, labelFrom } from './kinds.ts';
import { libmagicDescription, libmagicType } from './magic.ts';
import { keyLabel } from './pem.ts';
import { isProse, textType } from './text.ts';

export interface Detected {
  mime_type: string;
  extension: string;
  encoding: string;
  description: string;
  is_text: boolean;
  is_image: boolean;
  is_archive: boolean;
}

/** Types that look like text to the eye and are none to a program. */
const neverText = new Set(['application/pdf']);

/** What a file is, by its content alone. */
export async function detectFile(bytes: Uint8Array): Promise<Detected> {
  if (bytes.length === 0) return describe('inode/x-empty', undefined, '', bytes);
  const magic = await libmagicType(bytes);
  const text = textOf(bytes, magic);
  const kind = text ? ofText(text, bytes, magic) : await ofBinary(bytes, magic);
  return describe(kind, text, magic, bytes);
}

/** Decodes a text. A picture, sound or font is a text only in UTF-8, because any bytes are valid ISO 8859. */
function textOf(bytes: Uint8Array, magic: string): DecodedText | undefined {
  if (neverText.has(magic)) return undefined;
  const text = decodeText(bytes);
  const isMedia = /^(?:image|audio|video|font)\/(?!svg)/.test(magic);
  return isMedia && text?.name !== 'utf-8' ? undefined : text;
}

/** What libmagic says of texts that it takes for something else now and then. */
const doubtful = new Set([
  'text/plain',
  'application/octet-stream',
  'text/x-c',
  'text/x-c++',
  'text/x-java',
  'text/x-asm',
  'text/x-script.python',
  'text/x-ruby',
  'text/x-makefile',
  'text/x-objective-c',
  'application/javascript',
  'text/javascript',
  'text/html',
  'text/xml',
  'application/x-dc42-floppy-image',
  'text/vnd.typst',
  'text/x-file',
  'text/x-ssl-private-key',
  'text/x-ssl-public-key',
  // It means PKCS #8 and SPKI, and what OpenSSH writes.
  'text/x-ssh-private-key',
  'text/x-ssh-public-key',
]);

/** Of those, what it says of texts that are nothing in particular. */
const mistaken = new Set([
  'application/octet-stream',
  'application/x-dc42-floppy-image',
  'text/vnd.typst',
  'text/x-file',
]);

function ofText({ name, text }: DecodedText, bytes: Uint8Array, magic: string): string {
  if (magic === 'text/csv' && isProse(text)) return 'text/plain';
  if (!doubtful.has(magic)) return magic;
  const all = () => (bytes.length <= sampleSize ? text : new TextDecoder(name).decode(bytes));
  const type = textType(text, all);
  return type ?? (mistaken.has(magic) ? 'text/plain' : magic);
}

/** Types under which libmagic may have missed something more precise. */
const vague = new Set([
  'application/octet-stream',
  'application/zip',
  'text/plain',
  'application/x-ole-storage',
]);

async function ofBinary(bytes: Uint8Array, magic: string): Promise<string> {
  if (magic === 'application/x-sharedlib' && isPositionIndependentExecutable(bytes)) {
    return 'application/x-pie-executable';
  }
  if (!vague.has(magic)) return magic;
  const type = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (type?.mime === 'font/ttf' && !hasFontTables(bytes)) return magic;
  return type?.mime ?? (magic === 'text/plain' ? 'application/octet-stream' : magic);
}

/** Whether a TrueType font has a list of tables (OpenType, "Table Directory"): other files have its first bytes too. */
const hasFontTables = (bytes: Uint8Array) =>
  bytes[4]! * 256 + bytes[5]! > 0 &&
  /^[\w/ ]{4}$/.test(Buffer.from(bytes.subarray(12, 16)).toString('latin1'));

/**
 * Kinds of text that stay `text/plain` and show by extension and description only: those without a
 * type of their own, and those that libmagic would have named if it were sure.
 */
const plain = new Set(['text/x-ini', 'text/x-gitignore', 'text/x-script.python', 'text/x-perl']);

async function describe(
  kind: string,
  text: DecodedText | undefined,
  magic: string,
  bytes: Uint8Array,
): Promise<Detected> {
  const { extension, label: usual } = kindOf(kind);
  const known = (text && keyLabel(kind, text.text)) ?? usual;
  // Where libmagic has decided what the file is, and there is no label of ours, its own words.
  const hasOwnWords = known === undefined || kind === 'application/octet-stream';
  const words = hasOwnWords && kind === magic ? await libmagicDescription(bytes) : undefined;
  const label = known ?? labelFrom(kind);
  return {
    mime_type: plain.has(kind) && kind !== magic ? 'text/plain' : kind,
    // `asc` is a key in ASCII armour.
    extension: kind === 'application/pgp-keys' && !text ? 'pgp' : extension,
    encoding: text?.name ?? 'binary',
    description: words ?? [label, text && inWords(text)].filter(Boolean).join(', '),
    is_text: text !== undefined,
    is_image: kind.startsWith('image/'),
    is_archive: isArchive(kind),
  };
}

const encodingNames: Record<string, string> = {
  'utf-16le': 'little-endian UTF-16',
  'utf-16be': 'big-endian UTF-16',
  'iso-8859-1': 'ISO-8859',
  'windows-1252': 'Windows-1252',
  shift_jis: 'Shift-JIS',
  gb18030: 'GB18030',
};

/** `ASCII text, with CRLF line terminators`, in the manner of file(1). */
function inWords({ name, text, bom }: DecodedText): string {
  // oxlint-disable-next-line no-control-regex
  const ascii = name === 'utf-8' && !bom && !/[^\u0000-\u007f]/.test(text);
  const encoding = ascii ? 'ASCII' : (encodingNames[name] ?? name.toUpperCase());
  const mark = bom ? ' (with BOM)' : '';
  const ends = lineEnds(text);
  return `${encoding}${mark} text${ends && `, with ${ends}`}`;
}

function lineEnds(text: string): string {
  if (!/[\r\n]/.test(text)) return 'no line terminators';
  const ends = [
    /\r\n/.test(text) && 'CRLF',
    /\r(?!\n)/.test(text) && 'CR',
    /(?<!\r)\n/.test(text) && 'LF',
  ].filter(Boolean);
  return ends.length === 1 && ends[0] === 'LF' ? '' : `${ends.join(', ')} line terminators`;
}
