import { z } from 'zod';
import { lettersOf, mark, wordsIn } from '../text/word.ts';
import { defineTool, price } from './tool.ts';

const target = z.enum(['camel', 'pascal', 'snake', 'kebab', 'constant', 'title', 'sentence']);
type Target = z.infer<typeof target>;
type Source = Target | 'lower' | 'upper' | 'mixed' | 'unknown';

export const changeCase = defineTool({
  name: 'case',
  summary: 'Convert between camelCase, snake_case, Title Case and others',
  description: `Words end at separators and where the case changes. Digits stay with their word and
acronyms together: \`HTTPServer2\` is \`http_server2\`, \`userIDs\` is \`user_ids\`. Letters are mapped by
Unicode's SpecialCasing.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({ input: z.string(), to: target });
  },
  get output() {
    return z.object({
      output: z.string(),
      from: z.enum([...target.options, 'lower', 'upper', 'mixed', 'unknown']),
      to: target,
    });
  },
  examples: [
    { title: 'to snake case', input: { input: 'HTTPServer2', to: 'snake' } },
    { title: 'to a title', input: { input: 'the_quick_brown-fox', to: 'title' } },
  ],
  run: ({ input, to }) => ({ output: writers[to](splitWords(input)), from: caseOf(input), to }),
});

const lower = (word: string) => word.toLowerCase();
const upper = (word: string) => word.toUpperCase();

const writers: Record<Target, (words: string[]) => string> = {
  camel(words) {
    const [first, ...others] = lettersOf(words) as [string, ...string[]];
    return lower(first) + others.map(title).join('');
  },
  pascal: (words) => lettersOf(words).map(title).join(''),
  snake: (words) => lettersOf(words).map(lower).join('_'),
  kebab: (words) => lettersOf(words).map(lower).join('-'),
  constant: (words) => lettersOf(words).map(upper).join('_'),
  title: (words) => words.map(title).join(' '),
  sentence: ([first = '', ...others]) => [title(first), ...others.map(lower)].join(' '),
};

/** Names with capitals in the middle of a word. */
const names =
  /(?<![\p{L}\p{M}])(?:iOS|iPadOS|macOS|tvOS|visionOS|watchOS|iCloud|iMac|iPad|iPhone|iPod|iTunes|eBay|eSIM|gRPC|mTLS|[crt]DNA|[mrt]RNA)(?!\p{Ll})|(?<!\p{Lu})OAuth(?!\p{Ll})/gu;
const withoutCapitals = (name: string) => name[0]! + name.slice(1).toLowerCase();

const capital = String.raw`[\p{Lu}\p{Lt}]`;
/**
 * Matches the boundaries of words in camel case: before a capital that follows a small letter and its digits,
 * and before the last capital of an acronym that is followed by small letters. `IDs` and `IPv6` are
 * exceptions.
 */
const caseChange = new RegExp(
  String.raw`(?=${capital})(?<=\p{Ll}${mark}*(?:\p{N}${mark}*)*)` +
    String.raw`|(?=${capital}${mark}*\p{Ll})(?!${capital}(?:s(?![\p{Ll}\p{M}])|v\p{Nd}))(?<=[\p{Lu}\p{Lt}\p{N}]${mark}*)`,
  'u',
);

const splitWords = (text: string): string[] =>
  wordsIn(text.replace(names, withoutCapitals)).flatMap((word) => word.split(caseChange));

/** Returns a word with its first letter in title case and the others in lower case. */
function title(word: string): string {
  const [first = ''] = word;
  // The whole word is converted, because the final form of a sigma depends on the letters before it.
  return titleOf(first) + lower(word).slice(lower(first).length);
}

/** Returns the title case of a character (Unicode, UnicodeData.txt and SpecialCasing.txt). */
function titleOf(character: string): string {
  if (character < '\u0080') return upper(character);
  const digraph = digraphs.get(lower(character));
  if (digraph) return digraph;
  // Georgian capitals occur only in words that are all capitals.
  if (/\p{Script=Georgian}/u.test(character)) return character;
  const capitals = upper(character);
  if (capitals.length <= character.length) return capitals;
  const letter = character.normalize('NFD');
  if (letter.endsWith(iotaSubscript)) {
    return upper(letter.slice(0, -1).normalize('NFC')) + iotaSubscript;
  }
  return capitals.replace(/(?<=^\P{Lu}*\p{Lu})[^]+$/u, lower);
}

const iotaSubscript = '\u0345';

/** Maps lower case to title case, for letters whose title case differs from their upper case. */
const digraphs = new Map(
  Array.from('ǅǈǋǲᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼῌῼ', (letter) => [letter.toLowerCase(), letter]),
);

/** Patterns of small letters (with letters of scripts without case, digits and marks), and of capitals. */
const small = String.raw`[\p{Ll}\p{Lo}\p{Lm}\p{N}\p{Mn}\p{Mc}]+`;
const big = String.raw`[\p{Lu}\p{Lo}\p{Lm}\p{N}\p{Mn}\p{Mc}]+`;
const capitalized = String.raw`[\p{Lu}\p{Lt}](?:[\p{Ll}\p{Lm}\p{N}\p{Mn}\p{Mc}]|['’](?=\p{Ll}))*`;
type Shape = [name: Source, shape: RegExp];
/** The shapes that have no capitals, so that a text in a script without case can have them too. */
const joined: Shape[] = [
  ['snake', new RegExp(`^${small}(?:_${small})+$`, 'u')],
  ['kebab', new RegExp(`^${small}(?:-${small})+$`, 'u')],
];
const shapes: Shape[] = [
  ...joined,
  ['constant', new RegExp(`^${big}(?:_${big})+$`, 'u')],
  ['lower', /^[^\p{Lu}\p{Lt}]+$/u],
  ['upper', /^[^\p{Ll}\p{Lt}]+$/u],
  ['camel', /^\p{Ll}[\p{L}\p{N}\p{M}]*$/u],
  ['pascal', /^[\p{Lu}\p{Lt}][\p{L}\p{N}\p{M}]*$/u],
  [
    'title',
    new RegExp(
      `^${capitalized}(?:[^\\p{L}\\p{N}\\p{M}]+(?:${capitalized}|\\p{N}+))+[^\\p{L}\\p{N}]*$`,
      'u',
    ),
  ],
  ['sentence', /^[\p{Lu}\p{Lt}][^\p{Lu}\p{Lt}]*$/u],
];

function caseOf(text: string): Source {
  const trimmed = text.trim();
  if (!/\p{L}/u.test(trimmed)) return 'unknown';
  const hasCase = /[\p{Lu}\p{Ll}\p{Lt}]/u.test(trimmed);
  const found = (hasCase ? shapes : joined).find(([, shape]) => shape.test(trimmed))?.[0];
  return found ?? (hasCase ? 'mixed' : 'unknown');
}
