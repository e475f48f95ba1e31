import { placeOf, quoted, type Issue } from './verdict.ts';

/** Describes an error in a JSON text. Messages of JavaScript engines differ and do not name the fix. */
export function jsonFault(text: string, offset: number | undefined, reason: string): Issue {
  if (offset === undefined) return { message: withoutPosition(reason) };
  return { message: faultAt(text, offset, reason), ...placeOf(text, offset) };
}

const withoutPosition = (reason: string) =>
  reason
    .replace(/ (?:in|after) JSON at position [\s\S]*$/, '')
    .replace(/, (?:\.\.\.)?"[\s\S]*$/, '');

function faultAt(text: string, offset: number, reason: string): string {
  if (/^[\t\n\r ]*$/.test(text)) return 'the text is empty';
  if (/Unterminated string/.test(reason)) return 'a string is not closed; write " at its end';
  if (offset >= text.length) return 'the text ends before its value does';
  const found = String.fromCodePoint(text.codePointAt(offset)!);
  if (/control character/.test(reason)) {
    const escape = JSON.stringify(found).slice(1, -1);
    return `${quoted(found)} stands in a string; write it as ${escape}`;
  }
  if (/escape/i.test(reason)) return faultOfEscape(text, offset);
  return (
    faultOfPunctuation(text, offset, found) ??
    faultOfNumber(text, offset, reason) ??
    faultOfWord(text, offset, reason) ??
    expectation(reason, found)
  );
}

function faultOfEscape(text: string, offset: number): string {
  const start = text.lastIndexOf('\\', offset);
  const [escape = '\\'] = /^\\(?:u[^"]{0,4}|.)?/su.exec(text.slice(start, start + 6)) ?? [];
  return `the string has ${escape}, which is no escape of JSON; a backslash itself is written \\\\`;
}

const typographic = /[“”„‟«»‘’‚‛＂＇`]/u;

function faultOfPunctuation(text: string, offset: number, found: string): string | undefined {
  if (text.startsWith('//', offset) || text.startsWith('/*', offset) || found === '#') {
    return 'JSON has no comments; remove it';
  }
  if (found === "'") return 'JSON has no single quotes; write "';
  if (typographic.test(found)) return `${quoted(found)} is no quotation mark of JSON; write "`;
  const isInvisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(found);
  if (isInvisible) return `${quoted(found)} is no white space of JSON; remove it`;
  const before = /\S(?=\s*$)/.exec(text.slice(Math.max(0, offset - 1000), offset))?.[0];
  if (before !== ',') return undefined;
  if (found === ']' || found === '}') return `a comma stands before ${quoted(found)}; remove it`;
  return found === ',' ? 'two commas stand in a row; remove one' : undefined;
}

function faultOfNumber(text: string, offset: number, reason: string): string | undefined {
  if (/minus sign/.test(reason)) return 'no digit follows a minus sign';
  if (/exponent/i.test(reason)) return 'the exponent of a number has no digit';
  const start =
    offset - (/[-+.\d]*$/.exec(text.slice(Math.max(0, offset - 30), offset))?.[0].length ?? 0);
  const [number] = /^[-+.\d][-+.\dEe]*/.exec(text.slice(start, start + 60)) ?? [];
  if (number === undefined) return undefined;
  if (/^-?0\d/.test(number)) return `the number ${number} has a leading zero; remove it`;
  if (number.startsWith('+')) return `the number ${number} has a plus sign; remove it`;
  if (/^-?\./.test(number)) return `the number ${number} has no digit before its point; write 0`;
  if (/\d\.(?!\d)/.test(number)) return `the number ${number} has no digit after its point`;
  return undefined;
}

/** Values of other languages, and their equivalents in JSON. */
const words: Record<string, string> = {
  True: 'true',
  False: 'false',
  None: 'null',
  nil: 'null',
  undefined: 'null',
  NaN: 'null',
  Infinity: 'null',
};

function faultOfWord(text: string, offset: number, reason: string): string | undefined {
  if (/after JSON|',' or|after property name/.test(reason)) return undefined;
  const start =
    offset - /[\p{L}\p{N}_$]*$/u.exec(text.slice(Math.max(0, offset - 60), offset))![0].length;
  const [word] = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(text.slice(start, start + 60)) ?? [];
  if (word === undefined) return undefined;
  if (/property name/.test(reason))
    return `the name ${word} has no quotation marks; write "${word}"`;
  const instead = words[word] ?? JSON.stringify(word);
  return `${quoted(word)} is no value of JSON; write ${instead}`;
}

function expectation(reason: string, found: string): string {
  const character = quoted(found);
  if (/after JSON/.test(reason)) return `${character} follows the value; a text has one value`;
  if (/':'/.test(reason)) return `${character} stands where the colon after a name belongs`;
  if (/property name/i.test(reason)) return `${character} stands where a name in " or } belongs`;
  if (/',' or '\]'/.test(reason)) return `${character} stands where a comma or ] belongs`;
  if (/',' or '\}'/.test(reason)) return `${character} stands where a comma or } belongs`;
  return `${character} stands where a value belongs`;
}
