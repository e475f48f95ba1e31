import { invalidInput } from '../errors.ts';

const refuse = (why: string) => invalidInput('input', why);

/** Returns a text as one word in single quotes (POSIX.1-2024, XCU 2.2.2). */
export function toShell(text: string): string {
  if (text.includes('\0')) throw refuse('has a NUL, which no shell word can hold');
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Removes all quoting: single quotes, dollar-single-quotes, double quotes and backslashes (XCU 2.2). */
export function fromShell(text: string): string {
  return text.replace(
    /\$'([^'\\]*(?:\\[^][^'\\]*)*)'|'([^']*)'|"([^"\\]*(?:\\[^][^"\\]*)*)"|\\([^])|['"\\]/g,
    (whole, dollar?: string, single?: string, double?: string, escaped?: string) => {
      if (dollar !== undefined) return fromDollarQuotes(dollar);
      if (single !== undefined) return single;
      if (double !== undefined) return double.replace(/\\([$`"\\]|\n)/g, unlessNewline);
      if (escaped !== undefined) return unlessNewline(whole, escaped);
      throw refuse(
        whole === '\\' ? 'ends with a lone backslash' : `has a ${whole} that is not closed`,
      );
    },
  );
}

/** Returns the escaped character; nothing for a line feed, because a backslash at the end joins two lines. */
const unlessNewline = (_whole: string, c: string) => (c === '\n' ? '' : c);

/**
 * Matches an escape inside `$'…'`: those of POSIX, and `\E`, `\?`, `\u` and `\U` of bash and other shells.
 */
const dollarEscape =
  /\\(?:(?<octal>[0-7]{1,3})|x(?<byte>[\dA-Fa-f]{1,2})|u(?<bmp>[\dA-Fa-f]{1,4})|U(?<any>[\dA-Fa-f]{1,8})|c(?<control>[@-_a-z?])|(?<letter>[abeEfnrtv\\'"?]))/g;

const letters: Record<string, string> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Decodes `$'…'`. Octal and hexadecimal escapes are bytes of UTF-8, so several of them may be one character.
 */
function fromDollarQuotes(text: string): string {
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (const match of text.matchAll(dollarEscape)) {
    pieces.push(Buffer.from(text.slice(end, match.index)), bytesOf(match[0], match.groups!));
    end = match.index + match[0].length;
  }
  const bytes = Buffer.concat([...pieces, Buffer.from(text.slice(end))]);
  if (bytes.includes(0)) throw refuse('has an escape of NUL, which no shell word can hold');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refuse("has escapes in $'…' whose bytes are not UTF-8");
  }
}

function bytesOf(whole: string, groups: Record<string, string | undefined>): Uint8Array {
  const { octal, byte, bmp, any, control, letter } = groups;
  if (octal !== undefined) return Uint8Array.of(Number.parseInt(octal, 8));
  if (byte !== undefined) return Uint8Array.of(Number.parseInt(byte, 16));
  if (control !== undefined)
    return Uint8Array.of(control === '?' ? 127 : control.charCodeAt(0) & 31);
  if (letter !== undefined) return Buffer.from(letters[letter] ?? letter);
  const codePoint = Number.parseInt((bmp ?? any)!, 16);
  if (codePoint > 0x10ffff) throw refuse(`has ${whole}, which is no character of Unicode`);
  const character = String.fromCodePoint(codePoint);
  if (!character.isWellFormed()) throw refuse(`has ${whole}, which is half of a surrogate pair`);
  return Buffer.from(character);
}
