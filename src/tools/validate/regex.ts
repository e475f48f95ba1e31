import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { tooLarge } from '../../errors.ts';
import { invalid, type Verdict } from './verdict.ts';

/** In characters; the platform's compiler takes time with the square of the named groups. */
const mostCharacters = 64 * 1024;

/**
 * An ECMAScript regular expression. The platform compiles it and never runs it.
 *
 * Constructs of PCRE and Python are refused by name, also those that browsers compile to something
 * else: by ECMA-262's own grammar, without Annex B, `\A` is an error, not the letter A.
 */
export function validateRegex(pattern: string, flags: string): Verdict {
  if (pattern.length > mostCharacters) {
    throw tooLarge('a regular expression of more than 64 KB is too large to check');
  }
  const foreign = foreignConstruct(pattern, flags);
  if (foreign) return invalid(`${foreign} does not exist in ECMAScript`, { flags });
  try {
    RegExp(pattern, flags);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: [\s\S]*: /, '');
    return invalid(reason, { flags });
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

const posixClasses =
  'alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit';

/** What other engines have, by how it is written. Flags in which ECMAScript gives it a meaning. */
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
  { name: 'the anchor \\A of PCRE and Python (write ^)', shape: '\\\\A' },
  { name: 'the anchor \\Z of PCRE and Python (write $)', shape: '\\\\Z' },
  { name: 'the anchor \\z of PCRE (write $)', shape: '\\\\z' },
  { name: 'the anchor \\G of PCRE (pass the flag y)', shape: '\\\\G' },
  { name: '\\K of PCRE (write a look-behind)', shape: '\\\\K' },
  { name: '\\R of PCRE', shape: '\\\\R' },
  { name: '\\X of PCRE', shape: '\\\\X' },
  { name: '\\h or \\H of PCRE', shape: '\\\\[hH]' },
  { name: '\\a or \\e of PCRE', shape: '\\\\[ae]' },
  { name: 'the quotation \\Q…\\E of PCRE', shape: '\\\\[QE]' },
  { name: '\\x{…} of PCRE (write \\u{…} with the flag u)', shape: '\\\\x\\{' },
  { name: '\\p{…} without the flag u or v', shape: '\\\\[pP]\\{', unless: /[uv]/ },
];
const posixClass = new RegExp(`^\\[(?:[^\\]\\\\]|\\\\[^])*?(\\[:\\^?(?:${posixClasses}):\\])`);

/** Escapes are taken in pairs and classes whole, so that nothing is found inside them. */
const token = new RegExp(
  `${foreign.map(({ shape }, i) => `(?<f${i}>${shape})`).join('|')}|\\\\[^]|\\[(?:[^\\]\\\\]|\\\\[^])*\\]?`,
  'g',
);

function foreignConstruct(pattern: string, flags: string): string | undefined {
  for (const match of pattern.matchAll(token)) {
    const [text] = match;
    if (text.startsWith('[')) {
      const posix = posixClass.exec(pattern.slice(match.index))?.[1];
      if (posix && !flags.includes('v')) return `the character class ${posix} of POSIX and PCRE`;
      continue;
    }
    const found = foreign.find((_, i) => match.groups?.[`f${i}`] !== undefined);
    if (found && !found.unless?.test(flags)) return found.name;
  }
  return undefined;
}

/** Names of the capturing groups in order, null for one without. */
function groupsOf(pattern: string, flags: string): (string | null)[] {
  const groups: (string | null)[] = [];
  const mode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const parsed = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(
    pattern,
    undefined,
    undefined,
    mode,
  );
  visitRegExpAST(parsed, { onCapturingGroupEnter: ({ name }) => void groups.push(name) });
  return groups;
}
