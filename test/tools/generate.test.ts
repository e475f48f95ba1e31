import { expect, it } from 'vitest';
import { generate } from '../../src/tools/generate.ts';
import { refusal, run } from './run.ts';

it('puts a character of every class into every password', async () => {
  for (let i = 0; i < 300; i++) {
    const { value, length } = await run(generate, { type: 'password', length: 4 });
    expect(length).toBe(4);
    for (const set of [/[A-Z]/, /[a-z]/, /\d/, /[^A-Za-z\d]/]) expect(value).toMatch(set);
  }
});

it('leaves out classes that are off, and look-alikes on request', async () => {
  const options = { symbols: false, uppercase: false, exclude_ambiguous: true };
  const { value } = await run(generate, { type: 'password', length: 4096, options });
  expect(value).toMatch(/^[a-z2-9]{4096}$/);
  expect(value).not.toMatch(/[Il1|O0o]/);
});

it('draws evenly', async () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 25; i++) {
    for (const c of (await run(generate, { type: 'token', length: 4096 })).value)
      counts.set(c, (counts.get(c) ?? 0) + 1);
  }
  expect(counts.size).toBe(62);
  const expected = (25 * 4096) / 62;
  const chiSquare = [...counts.values()].reduce(
    (sum, n) => sum + (n - expected) ** 2 / expected,
    0,
  );
  expect(chiSquare).toBeLessThan(130); // 61 degrees of freedom: once in a million runs by chance
});

it.each([
  [{ type: 'token', length: 10 }, 10 * Math.log2(62)],
  [{ type: 'nanoid', length: 21 }, 126],
  // Classes of 10 and 26 characters, length 2: 2 · 10 · 26 passwords.
  [{ type: 'password', length: 2, options: { uppercase: false, symbols: false } }, Math.log2(520)],
  [
    {
      type: 'password',
      length: 1,
      options: { uppercase: false, symbols: false, lowercase: false },
    },
    Math.log2(10),
  ],
  // Four classes, length 4: 4! orders of one character of each class.
  [{ type: 'password', length: 4 }, Math.log2(24 * 26 * 26 * 10 * 32)],
] as const)('counts the entropy of %j', async (input, bits) => {
  expect((await run(generate, input)).entropy).toBeCloseTo(bits, 9);
});

it('defaults to 16 characters', async () => {
  expect((await run(generate, { type: 'nanoid' })).value).toMatch(/^[\w-]{16}$/);
});

it('refuses what cannot be', async () => {
  const off = { uppercase: false, lowercase: false, numbers: false, symbols: false };
  expect((await refusal(generate, { type: 'password', options: off })).path).toBe('options');
  expect((await refusal(generate, { type: 'password', length: 3 })).path).toBe('length');
  for (const length of [0, -1, 4097, 1.5])
    expect((await refusal(generate, { type: 'token', length })).path).toBe('length');
});
