import { analyse } from 'chardet';

/**
 * The beginning of a text, and how its bytes stand for characters. `name` is lower case, from the
 * WHATWG standard.
 */
export interface DecodedText {
  name: string;
  text: string;
  bom: boolean;
}

/** Bytes of a file that decide what it is. */
export const sampleSize = 256 * 1024;

/** Decodes the beginning of a file, or returns undefined for bytes that are no text. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const marked = byMark(bytes);
  if (marked) return marked;
  const wide = utf16Order(bytes.subarray(0, sampleSize));
  if (wide) return decode(bytes, wide);
  if (hasControls(bytes.subarray(0, sampleSize))) return undefined;
  return decode(bytes, 'utf-8') ?? legacy(bytes);
}

const marks: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

function byMark(bytes: Uint8Array): DecodedText | undefined {
  const mark = marks.find(([, start]) => start.every((byte, i) => bytes[i] === byte));
  const decoded = mark && decode(bytes.subarray(mark[1].length), mark[0]);
  return decoded && !hasControlCharacters(decoded.text) ? { ...decoded, bom: true } : undefined;
}

/** The sample as text; undefined when it is not in that encoding. It may end inside a character. */
function decode(bytes: Uint8Array, name: string): DecodedText | undefined {
  try {
    const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: false });
    const stream = bytes.length > sampleSize;
    return { name, text: decoder.decode(bytes.subarray(0, sampleSize), { stream }), bom: false };
  } catch {
    return undefined;
  }
}

/**
 * UTF-16 without a mark: line feeds and spaces have their zero byte on one side, and nearly every
 * other byte on that side is small.
 */
function utf16Order(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 4 || bytes.length % 2 === 1) return undefined;
  const zeros = [0, 0];
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros[i % 2]!++;
  const half = bytes.length / 2;
  for (const [side, name] of [
    [1, 'utf-16le'],
    [0, 'utf-16be'],
  ] as const) {
    const many = zeros[1 - side] === 0 && zeros[side]! > half * 0.3;
    const text = many ? decode(bytes, name) : undefined;
    if (text && !hasControlCharacters(text.text)) return name;
  }
  return undefined;
}

/** Control characters that no text has; the allowed ones are those of file(1). */
const isControl = (code: number) =>
  (code < 0x20 && !(code >= 7 && code <= 13) && code !== 0x1b) || code === 0x7f;

const hasControls = (bytes: Uint8Array) => bytes.some(isControl);

function hasControlCharacters(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (isControl(text.charCodeAt(i))) return true;
  return false;
}

const multiByte: Record<string, string> = {
  Shift_JIS: 'shift_jis',
  GB18030: 'gb18030',
  Big5: 'big5',
  'EUC-JP': 'euc-jp',
  'EUC-KR': 'euc-kr',
};

/** Encodings before Unicode: East Asian ones by their statistics, else Western European. */
function legacy(bytes: Uint8Array): DecodedText | undefined {
  const guesses = analyse(bytes.subarray(0, 64 * 1024)).filter(({ name }) => name in multiByte);
  const best = guesses.toSorted((a, b) => b.confidence - a.confidence)[0];
  if (best && best.confidence >= 30) {
    const text = decode(bytes, multiByte[best.name]!);
    if (text) return text;
  }
  const latin1 = !bytes.subarray(0, sampleSize).some((byte) => byte >= 0x80 && byte <= 0x9f);
  const text = decode(bytes, 'windows-1252');
  return text && { ...text, name: latin1 ? 'iso-8859-1' : 'windows-1252' };
}
