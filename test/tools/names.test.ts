import { expect, it } from 'vitest';
import { changeCase } from '../../src/tools/case.ts';
import { slug } from '../../src/tools/slug.ts';
import titleCases from './judges/title-case.json';
import words from './judges/words.json';
import { run } from './run.ts';

/** Apostrophes inside of words, which slugs and identifiers drop. */
const apostrophes = /['’‘ʼ`՚]/gu;

it.each(Object.entries(words.cases))('divides %s as Unicode does', async (name, parts) => {
  const expected = parts.join('-').replace(apostrophes, '').toLowerCase();
  for (const form of ['NFC', 'NFD'] as const) {
    const input = name.normalize(form);
    expect((await run(slug, { input })).slug).toBe(expected);
    const { output } = await run(changeCase, { input, to: 'kebab' });
    expect(output.normalize('NFC')).toBe(expected);
  }
});

it('gives a word the title case of Unicode', async () => {
  for (const [letter, title] of Object.entries(titleCases.cases)) {
    const { output } = await run(changeCase, { input: `x ${letter}`, to: 'title' });
    expect(output).toBe(`X ${title}`);
  }
});
