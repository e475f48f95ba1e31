import { expect, it } from 'vitest';
import { fields } from './fields.ts';
import { follow, type Case } from './law.ts';

const field = fields.find(({ tool }) => tool === 'html-to-markdown')!;
const given: Case = { field, recipe: { way: 'repeated', parts: ['a'] } };

/** What is said of a tool that takes so many milliseconds for a text of so many KiB. */
async function said(time: (kib: number, call: number) => number): Promise<string | undefined> {
  let call = 0;
  const measure = async (_: Case, size: number) => ({
    ms: time(size / 1024, call++),
    outcome: 'ok',
  });
  return (await follow(given, measure, false)).fault;
}

it.each([
  ['linear', (kib: number) => kib / 4],
  ['n log n', (kib: number) => (kib * Math.log2(kib + 1)) / 40],
  ['always the same', () => 100],
  ['linear but for one call', (kib: number, call: number) => (call === 11 ? 2000 : kib / 4)],
  ['noise', (_: number, call: number) => [1, 5, 19, 2][call % 4]!],
])('takes %s', async (_, time) => {
  expect(await said(time)).toBeUndefined();
});

it.each([
  ['the square', (kib: number) => kib ** 2 / 100, 'power 2.00'],
  ['the power 1.5', (kib: number) => kib ** 1.5 / 10, 'power 1.50'],
  ['a square that shows late', (kib: number) => kib / 50 + kib ** 2 / 1000, 'power'],
  ['exponential', (kib: number) => 2 ** kib, 'power'],
  ['too much', () => 5000, 'takes more than 4000 ms'],
  ['no end', () => Infinity, 'takes more than 4000 ms'],
])('refuses %s', async (_, time, why) => {
  expect(await said(time)).toContain(why);
});
