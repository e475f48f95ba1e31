import { invalidInput } from '../errors.ts';

/** Returns a pattern that matches only the text: syntax characters of ECMAScript get a backslash. */
export const toRegex = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|]/g, '\\$&');

/**
 * Returns the only text that a pattern matches. Understands the escapes that ECMAScript, Python, Perl, PHP,
 * Java, C#, Go, Ruby and Rust write when they escape a text.
 */
export function fromRegex(pattern: string): string {
  const text = pattern.replace(escape, (whole, ...rest) => {
    const { quotation, hexadecimal, letter, character } = rest.at(-1) as Groups;
    if (quotation !== undefined) return quotation;
    if (hexadecimal !== undefined) return characterOf(whole, Number.parseInt(hexadecimal, 16));
    if (whole === '\\0' || whole === '\\000') return '\0';
    if (letter !== undefined) return letters[letter]!;
    if (character !== undefined) return character;
    throw invalidInput('input', faultOf(whole));
  });
  if (text.isWellFormed()) return text;
  throw invalidInput('input', 'has a \\u escape of half a surrogate pair');
}

type Groups = Record<'quotation' | 'hexadecimal' | 'letter' | 'character', string | undefined>;

/** Matches an escape. Any character except letters and digits may follow a backslash. */
const escape = new RegExp(
  [
    String.raw`\\Q(?<quotation>[^]*?)(?:\\E|$)`,
    String.raw`\\(?:x|u)\{(?<hexadecimal>[\da-fA-F]{1,8})\}`,
    String.raw`\\x(?<hexadecimal>[\da-fA-F]{2})`,
    String.raw`\\u(?<hexadecimal>[\da-fA-F]{4})`,
    String.raw`\\0(?:00)?(?!\d)`,
    String.raw`\\(?<letter>[fnrtv])`,
    String.raw`\\(?<character>[^\p{L}\p{N}])`,
    String.raw`\\[^]?`,
  ].join('|'),
  'gu',
);

const letters: Record<string, string> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function characterOf(whole: string, codePoint: number): string {
  if (codePoint <= 0x10ffff) return String.fromCodePoint(codePoint);
  throw invalidInput('input', `has ${whole}, which is no character of Unicode`);
}

const faultOf = (whole: string) =>
  whole === '\\'
    ? 'ends with a lone backslash'
    : `has ${whole}, which does not stand for one character`;
