import { rm } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { bundle } from './bundle.ts';
import { casesOf } from './cases.ts';
import { fields, type Field } from './fields.ts';
import { follow, limitMs, type Case, type Result } from './law.ts';
import { poolOf } from './pool.ts';
import { print } from '../print.ts';

/** Tested by themselves: they need a browser, a converter, a resolver or pictures. */
const elsewhere = new Set(['screenshot', 'convert-document', 'dns-lookup', 'optimize-image']);

const long = process.env.GROWTH === 'long';
const seed = process.env.GROWTH_SEED ?? 'a';

/** Processes that run tools at one time. */
const atOneTime = 2;

print(`growth: seed ${seed}; another by GROWTH_SEED, much more by GROWTH=long`);
const { folder, program } = await bundle();
const pool = poolOf(program, limitMs.heavy);
const catalogue = (await pool.catalogue()).filter(({ name }) => !elsewhere.has(name));

afterAll(async () => {
  pool.end();
  await rm(folder, { recursive: true });
});

const measure = ({ field, recipe }: Case, size: number) =>
  pool.measure({ field: fields.indexOf(field), recipe, size });

async function run(cases: Case[]): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = cases.values();
  const one = async () => {
    for (const each of waiting) results.push(await follow(each, measure, long));
  };
  await Promise.all(Array.from({ length: atOneTime }, one));
  return results;
}

function inWords({ field, recipe, points, fault }: Result): string {
  const series = points.map(({ size, ms, outcome }) => `${size}: ${ms.toFixed()} ms (${outcome})`);
  const text = `${recipe.way} ${JSON.stringify(recipe.parts).slice(0, 300)}`;
  return `${field.tool}, ${field.name}: ${text}${fault ? ` ${fault}` : ''}; ${series.slice(-4).join(', ')}`;
}

const mostOf = ({ points }: Result) => points.reduce((most, { ms }) => Math.max(most, ms), 0);

it.each(catalogue)('$name takes no longer than its texts do', async ({ name }) => {
  const cases = casesOf(seed, long, name);
  const results = await run(cases);
  const [worst] = results.toSorted((a, b) => mostOf(b) - mostOf(a));
  if (worst) print(`growth: of ${cases.length} the worst: ${inWords(worst)}`);
  expect(results.filter(({ fault }) => fault !== undefined).map(inWords)).toEqual([]);
});

/** Whether another text is another value there. */
function reaches({ input }: Field, path: string): boolean {
  const at = (text: string) =>
    path
      .split('.')
      .reduce<unknown>(
        (value, name) => (value as Record<string, unknown> | undefined)?.[name],
        input(text),
      );
  return JSON.stringify(at('one\ntwo')) !== JSON.stringify(at('three\nfour'));
}

it.each(catalogue)('$name has no open field that is left out', ({ name, open }) => {
  const known = fields.filter(({ tool }) => tool === name);
  expect(open.filter((path) => !known.some((field) => reaches(field, path)))).toEqual([]);
});

it('ends a call that takes too long, and goes on', async () => {
  const hasty = poolOf(program, 0);
  const order = { field: 0, recipe: { way: 'letters', parts: [''] }, size: 1 } as const;
  expect(await hasty.measure({ ...order, recipe: { way: 'letters', parts: [''] } })).toEqual({
    ms: Infinity,
    outcome: 'never ends',
  });
  hasty.end();
  expect(await pool.measure({ ...order, recipe: { way: 'letters', parts: [''] } })).toMatchObject({
    outcome: 'ok',
  });
});
