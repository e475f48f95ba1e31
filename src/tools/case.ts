import * as convert from 'change-case';
import { z } from 'zod';
import { defineTool, price } from './tool.ts';

const target = z.enum(['camel', 'pascal', 'snake', 'kebab', 'constant', 'title', 'sentence']);
type Target = z.infer<typeof target>;

export const changeCase = defineTool({
  name: 'case',
  summary: 'Convert between camelCase, snake_case, Title Case and others',
  description: `Words end at separators and where the case changes. Digits stay with their word and
acronyms together: \`HTTPServer2\` is \`http_server2\`.`,
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
  run: ({ input, to }) => ({ output: converted(input, to), from: caseOf(input), to }),
});

const converters: Record<Target, (text: string) => string> = {
  camel: (text) => convert.camelCase(text, { mergeAmbiguousCharacters: true }),
  pascal: (text) => convert.pascalCase(text, { mergeAmbiguousCharacters: true }),
  snake: convert.snakeCase,
  kebab: convert.kebabCase,
  constant: convert.constantCase,
  title: convert.capitalCase,
  sentence: convert.sentenceCase,
};

/** A letter to Unicode, so that an apostrophe in it splits no word. */
const letterApostrophe = '\u02bc';

function converted(text: string, to: Target): string {
  const output = converters[to](text.replace(/(?<=\p{L})['’](?=\p{L})/gu, letterApostrophe));
  return output.replaceAll(letterApostrophe, to === 'title' || to === 'sentence' ? "'" : '');
}

const word = '[\\p{Ll}\\p{N}]+';
const capitalized = "\\p{Lu}(?:[\\p{Ll}\\p{N}]|['’](?=\\p{Ll}))*";
const shapes: [ReturnType<typeof caseOf>, RegExp][] = [
  ['snake', new RegExp(`^${word}(?:_${word})+$`, 'u')],
  ['kebab', new RegExp(`^${word}(?:-${word})+$`, 'u')],
  ['constant', /^[\p{Lu}\p{N}]+(?:_[\p{Lu}\p{N}]+)+$/u],
  ['lower', /^[^\p{Lu}]+$/u],
  ['upper', /^[^\p{Ll}]+$/u],
  ['camel', /^\p{Ll}[\p{L}\p{N}]*$/u],
  ['pascal', /^\p{Lu}[\p{L}\p{N}]*$/u],
  [
    'title',
    new RegExp(
      `^${capitalized}(?:[^\\p{L}\\p{N}]+(?:${capitalized}|\\p{N}+))+[^\\p{L}\\p{N}]*$`,
      'u',
    ),
  ],
  ['sentence', /^\p{Lu}[^\p{Lu}]*$/u],
];

function caseOf(text: string): Target | 'lower' | 'upper' | 'mixed' | 'unknown' {
  const trimmed = text.trim();
  if (!/\p{L}/u.test(trimmed)) return 'unknown';
  return shapes.find(([, shape]) => shape.test(trimmed))?.[0] ?? 'mixed';
}
