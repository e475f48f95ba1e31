import { RegExpParser, RegExpSyntaxError, visitRegExpAST } from '@eslint-community/regexpp';
import { tooLarge } from '../../errors.ts';
import { invalid, placeOf, quoted, type Verdict } from './verdict.ts';

/** Largest length of a pattern. The platform's compiler takes quadratic time for named groups. */
const maxCharacters = 64 * 1024;

/**
 * Validates an ECMAScript regular expression. The platform compiles the pattern but does not run it.
 *
 * Constructs of PCRE and Python are errors that name the construct. Some of them compile in browsers with
 * another meaning: `\A` is the letter A by Annex B of ECMA-262, but an error by its grammar.
 */
export function validateRegex(pattern: string, flags: string): Verdict {
  if (pattern.length > maxCharacters) {
    throw tooLarge('a regular expression of more than 64 KB is too large to check');
  }
  const wrongFlags = faultOfFlags(flags);
  if (wrongFlags) return invalid(wrongFlags, { flags });
  const foreign = foreignConstruct(pattern, flags);
  if (foreign) {
    const message = `${foreign.name} does not exist in ECMAScript`;
    return invalid({ message, ...placeOf(pattern, foreign.offset) }, { flags });
  }
  try {
    RegExp(pattern, flags);
  } catch (error) {
    const message = (error as Error).message.replace(/^Invalid regular expression: [\s\S]*: /, '');
    const offset = offsetOfError(pattern, flags);
    const place = offset === undefined ? {} : placeOf(pattern, offset);
    return invalid({ message, ...place }, { flags });
  }
  const groups = groupsOf(pattern, flags);
  const count = groups.length === 1 ? '1 group' : `${groups.length} groups`;
  return {
    errors: [],
    summary: `a pattern with ${count}`,
    details: {
      flags,
      groups: groups.length,
      group_names: groups.filter((name): name is string => name !== null),
    },
  };
}

function faultOfFlags(flags: string): string | undefined {
  const unknown = /[^dgimsuvy]/u.exec(flags)?.[0];
  if (unknown) return `the flag ${quoted(unknown)} is none of d, g, i, m, s, u, v, y`;
  const twice = /(.).*\1/.exec(flags)?.[1];
  if (twice) return `the flag ${twice} stands twice`;
  return /u.*v|v.*u/.test(flags) ? 'the flags u and v exclude each other' : undefined;
}

/** Returns the offset at which a parser finds the error, because the platform's error has no position. */
function offsetOfError(pattern: string, flags: string): number | undefined {
  try {
    parsed(pattern, flags);
    return undefined;
  } catch (error) {
    return error instanceof RegExpSyntaxError ? Math.min(error.index, pattern.length) : undefined;
  }
}

function parsed(pattern: string, flags: string) {
  const mode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  return new RegExpParser({ ecmaVersion: 2025 }).parsePattern(pattern, undefined, undefined, mode);
}

const posixClasses =
  'alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit';

/**
 * Constructs of other engines by their shape. `unless` are the flags with which ECMAScript has the construct.
 */
const foreign: { name: string; shape: string; unless?: RegExp }[] = [
  { name: 'the named group (?P<name>…) of Python and PCRE (write (?<name>…))', shape: '\\(\\?P<' },
  { name: 'the back reference (?P=name) of Python and PCRE (write \\k<name>)', shape: '\\(\\?P=' },
  { name: 'the subroutine call (?P>name) of PCRE', shape: '\\(\\?P>' },
  { name: "the named group (?'name'…) of PCRE (write (?<name>…))", shape: "\\(\\?'" },
  { name: 'the atomic group (?>…) of PCRE', shape: '\\(\\?>' },
  { name: 'the branch reset group (?|…) of PCRE', shape: '\\(\\?\\|' },
  { name: 'the comment (?#…) of PCRE', shape: '\\(\\?#' },
  { name: 'the conditional (?(…)…) of PCRE', shape: '\\(\\?\\(' },
  { name: 'the recursion (?R) or (?1) of PCRE', shape: '\\(\\?(?:R|[+-]?\\d+)\\)' },
  { name: 'the subroutine call (?&name) of PCRE', shape: '\\(\\?&' },
  {
    name: 'the inline flag group (?i) of PCRE (pass options.flags, or write (?i:…))',
    shape: '\\(\\?[a-zA-Z]*(?:-[a-zA-Z]+)?\\)',
  },
  { name: 'the backtracking verb (*…) of PCRE', shape: '\\(\\*[A-Z]' },
  { name: 'the possessive quantifier of PCRE', shape: '(?:[*+?]|\\{\\d+(?:,\\d*)?\\})\\+' },
  { name: 'the quantifier {,n} of Python and PCRE (write {0,n})', shape: '\\{,\\d+\\}' },
  { name: 'the anchor \\A of PCRE and Python (write ^)', shape: '\\\\A' },
  { name: 'the anchor \\Z of PCRE and Python (write $)', shape: '\\\\Z' },
  { name: 'the anchor \\z of PCRE (write $)', shape: '\\\\z' },
  { name: 'the anchor \\G of PCRE (pass the flag y)', shape: '\\\\G' },
  { name: '\\K of PCRE (write a look-behind)', shape: '\\\\K' },
  { name: 'the quotation \\Q…\\E of PCRE', shape: '\\\\[QE]' },
  { name: 'the reference \\g of PCRE (write \\1 or \\k<name>)', shape: '\\\\g' },
  { name: '\\N{…} of Python and PCRE (write \\u{…} with the flag u)', shape: '\\\\N\\{' },
  { name: 'the octal number \\o{…} of PCRE', shape: '\\\\o\\{' },
  { name: '\\U of Python (write \\u{…} with the flag u)', shape: '\\\\U[\\da-fA-F]{8}' },
  { name: '\\x{…} of PCRE (write \\u{…} with the flag u)', shape: '\\\\x\\{' },
  { name: '\\p{…} without the flag u or v', shape: '\\\\[pP]\\{', unless: /[uv]/ },
];
const posixClass = new RegExp(`^\\[(?:[^\\]\\\\]|\\\\[^])*?(\\[:\\^?(?:${posixClasses}):\\])`);

/** Escapes of other engines, with their replacements in ECMAScript. */
const foreignEscapes: Record<string, string> = {
  a: 'the bell of PCRE and Python (write \\x07)',
  C: 'one byte of PCRE',
  e: 'the escape character of PCRE (write \\x1b)',
  h: 'horizontal white space of PCRE (write [\\t\\p{Zs}] with the flag u)',
  H: 'no horizontal white space of PCRE',
  L: 'the change of case of Perl',
  l: 'the change of case of Perl',
  N: 'any character but a line feed of PCRE (write [^\\n])',
  R: 'the line end of PCRE (write \\r?\\n)',
  U: 'the change of case of Perl',
  V: 'no vertical white space of PCRE',
  X: 'the grapheme cluster of PCRE',
  y: 'the word boundary of PostgreSQL (write \\b)',
  Y: 'the non-boundary of PostgreSQL (write \\B)',
};

/** A letter after a backslash without a meaning in ECMAScript. Browsers ignore the backslash. */
const meaningless = /\\([ACE-JLMNOQRTUVXYZaeg-jlmoqyz])/.source;

/** Matches escapes and classes as a whole, so that nothing is found inside of them. */
const token = new RegExp(
  `${foreign.map(({ shape }, i) => `(?<f${i}>${shape})`).join('|')}|${meaningless}|\\\\[^]|\\[(?:[^\\]\\\\]|\\\\[^])*\\]?`,
  'g',
);
const escapeInClass = new RegExp(String.raw`${meaningless}|\\[^]`, 'g');

interface Foreign {
  name: string;
  offset: number;
}

function foreignConstruct(pattern: string, flags: string): Foreign | undefined {
  for (const match of pattern.matchAll(token)) {
    const offset = match.index;
    const inClass = match[0].startsWith('[') && foreignInClass(match[0], pattern, offset, flags);
    if (inClass) return inClass;
    const i = foreign.findIndex((_, index) => match.groups?.[`f${index}`] !== undefined);
    if (i >= 0 && !foreign[i]!.unless?.test(flags)) return { name: foreign[i]!.name, offset };
    const letter = match.at(-1);
    if (letter && i < 0) return { name: nameOfEscape(letter), offset };
  }
  return undefined;
}

const nameOfEscape = (letter: string) =>
  letter in foreignEscapes ? `\\${letter}, ${foreignEscapes[letter]},` : `the escape \\${letter}`;

function foreignInClass(
  text: string,
  pattern: string,
  offset: number,
  flags: string,
): Foreign | undefined {
  const posix = posixClass.exec(pattern.slice(offset))?.[1];
  if (posix && !flags.includes('v')) {
    return { name: `the character class ${posix} of POSIX and PCRE`, offset };
  }
  for (const { 1: letter, index } of text.matchAll(escapeInClass)) {
    // With the flag v, `\q` begins strings in a class.
    if (letter === undefined || (letter === 'q' && flags.includes('v'))) continue;
    return { name: nameOfEscape(letter), offset: offset + index };
  }
  return undefined;
}

/** Returns the names of the capturing groups in order, null for a group without a name. */
function groupsOf(pattern: string, flags: string): (string | null)[] {
  const groups: (string | null)[] = [];
  visitRegExpAST(parsed(pattern, flags), {
    onCapturingGroupEnter: ({ name }) => void groups.push(name),
  });
  return groups;
}
