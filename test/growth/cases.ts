import { fields, lightTools, type Field } from './fields.ts';
import type { Case } from './law.ts';
import { randomOf, severalWays, singleWays, type Recipe } from './recipes.ts';

/** How many texts are made for a field. */
interface Share {
  /** Of its nests, of its tokens by themselves and of its tokens with others: 1 is each once. */
  each: number;
  /** Texts of tokens in no order. */
  shuffles: number;
}

const all: Share = { each: 2, shuffles: 20 };
const some: Share = { each: 0.3, shuffles: 2 };
/** Texts for a heavy tool, where it is not all of them; their number decides how long the test takes. */
const mostOfTool = 40;

/** What once took too long, by the names of the field; these are always among the texts. */
const once: [tool: string, name: string, recipe: Recipe][] = [
  ['validate', 'yaml', { way: 'nestedInRow', parts: ['- &x [*x]\n', '', ''] }],
  ['validate', 'yaml', { way: 'nested', parts: ['&x [', '*x', ']'] }],
  ['validate', 'yaml', { way: 'nested', parts: ['*x ,', 'b', '', 'a: &x [', ']'] }],
  ['validate', 'yaml', { way: 'repeated', parts: ['%YAML 1.2\n'] }],
  ['validate', 'regex', { way: 'nested', parts: ['(?<a>b)|', 'c', ''] }],
  [
    'validate',
    'json_schema options.schema of a tree',
    { way: 'nested', parts: ['../', '', '', '{"$id":"http://a/', '"}'] },
  ],
  ['cron', 'explain', { way: 'nested', parts: ['2,', '2', '', '0 0 30 ', ' *'] }],
  [
    'datetime',
    'holidays that are dates',
    { way: 'repeated', parts: ['5.3.2024 12:00 Europe/Berlin|'] },
  ],
  ['summarize', 'paragraph', { way: 'repeated', parts: ['a. '] }],
  ['summarize', 'paragraph', { way: 'repeated', parts: ['e.g. '] }],
  ['summarize', 'paragraph', { way: 'spaces', parts: ['word '] }],
  ['summarize', 'paragraph', { way: 'inLines', parts: ['a'.repeat(48)] }],
  ['rewrite', 'formal', { way: 'digits', parts: ['a/'] }],
  ['rewrite', 'formal', { way: 'repeated', parts: ['“'] }],
  ['html-to-markdown', 'page', { way: 'nested', parts: ['<li>a', '', '', '<ol>', '</ol>'] }],
  ['detect-file', 'wide text', { way: 'inParagraphs', parts: ['SELECT a FROM b'] }],
  ['detect-file', 'wide text', { way: 'repeated', parts: ['then\n'] }],
  ['detect-file', 'text', { way: 'ended', parts: ['</u>', 'def a(', '[[a]]\n'] }],
  ['detect-file', 'executable', { way: 'letters', parts: [''] }],
];

/**
 * Texts for a tool, some in each of its fields.
 *
 * @param seed decides which texts are made; another one makes others
 */
export function casesOf(seed: string, long: boolean, tool: string): Case[] {
  const known = fields.filter((field) => field.tool === tool);
  const cases = known.map((field) => {
    const random = randomOf(`${seed} ${tool} ${field.name}`);
    const made = [...recipes(field, long ? all : some, random)];
    const order = made.map((recipe) => ({ recipe, at: random() })).toSorted((a, b) => a.at - b.at);
    return order.map(({ recipe }) => ({ field, recipe }));
  });
  const always = once.flatMap(([of, name, recipe]) => {
    const field = known.find((each) => of === tool && each.name === name);
    return field ? [{ field, recipe }] : [];
  });
  if (long || lightTools.has(tool)) return [...always, ...cases.flat()];
  const each = Math.max(2, Math.ceil(mostOfTool / cases.length));
  return [...always, ...cases.flatMap((ofField) => ofField.slice(0, each))];
}

function* recipes({ language }: Field, share: Share, random: () => number): Generator<Recipe> {
  const { tokens, nests = [] } = language;
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  /** So many of a list on average, over and over if it is more than one. */
  const chosen = <T>(list: readonly T[]): T[] =>
    list.flatMap((one) => Array.from({ length: Math.floor(share.each + random()) }, () => one));
  for (const nest of chosen(nests)) {
    const parts = nest.map((part) => part ?? '');
    yield { way: any(['nested', 'nestedInRow']), parts };
  }
  for (const token of chosen(tokens)) yield { way: any(singleWays), parts: [token] };
  for (const token of chosen(tokens)) {
    yield { way: any(severalWays), parts: [token, any(tokens), any(tokens)] };
  }
  for (let i = 0; i < share.shuffles; i++) {
    const few = Array.from({ length: 2 + Math.floor(random() * 6) }, () => any(tokens));
    yield { way: 'shuffled', parts: [String(random()), ...(i % 2 ? few : tokens)] };
  }
}
