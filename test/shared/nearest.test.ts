import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { nearest } from '../../src/shared/nearest.ts';
import { fieldPaths, unwrap } from '../../src/shared/input.ts';
import { tools } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';

/** The names of each object that a tool takes, and the values of each list to choose from. */
function vocabularies(): string[][] {
  const found: string[][] = [];
  const visit = (schema: z.ZodType) => {
    const inner = unwrap(schema);
    if (inner instanceof z.ZodEnum) found.push(inner.options.map(String));
    if (inner instanceof z.ZodArray) visit(inner.element as z.ZodType);
    if (!(inner instanceof z.ZodObject)) return;
    found.push(Object.keys(inner.shape));
    for (const field of Object.values(inner.shape)) visit(field as z.ZodType);
  };
  for (const tool of tools as readonly Tool[]) visit(tool.input);
  return found;
}

/** Every word that is one slip of a finger away: a letter too few or twice, or two that are swapped. */
function slips(word: string): string[] {
  return [...word].flatMap((letter, i) => [
    word.slice(0, i) + word.slice(i + 1),
    word.slice(0, i) + letter + word.slice(i),
    word.slice(0, i) + word.slice(i + 1, i + 2) + letter + word.slice(i + 2),
  ]);
}

/** Whether it takes one slip, or one wrong or further letter, to write a word like that. */
function isOneSlip(word: string, slip: string): boolean {
  if (slips(word).includes(slip) || slips(slip).includes(word)) return true;
  return word.length === slip.length && [...word].filter((c, i) => c !== slip[i]).length === 1;
}

describe('the nearest word', () => {
  it('undoes every slip in every name and value of five letters or more', () => {
    let count = 0;
    for (const words of vocabularies()) {
      for (const word of words.filter(({ length }) => length >= 5)) {
        for (const slip of slips(word)) {
          // `edcode` may be meant for decode or for encode.
          const isAmbiguous = words.some((other) => other !== word && isOneSlip(other, slip));
          if (words.includes(slip) || isAmbiguous) continue;
          expect(nearest(slip, words), slip).toBe(word);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(2000);
  });

  it('minds neither case nor punctuation, in no name and no value', () => {
    for (const words of vocabularies()) {
      for (const word of words) {
        const camel = word.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
        for (const written of [word.toUpperCase(), ` ${word}.`, camel, word.replaceAll('_', '-')]) {
          expect(nearest(written, words), written).toBe(word);
        }
      }
    }
  });

  it.each([
    ['jpg', ['png', 'jpeg', 'webp'], 'jpeg'],
    ['md', ['html', 'markdown', 'docx'], 'markdown'],
    ['SHA-256', ['md5', 'sha1', 'sha256', 'sha512'], 'sha256'],
    ['camelCase', ['camel', 'pascal', 'snake'], 'camel'],
    ['mx', ['A', 'AAAA', 'MX', 'NS'], 'MX'],
    ['full_page', ['width', 'full', 'selector'], 'full'],
    ['tz', ['value', 'timezone'], 'timezone'],
    ['yml', ['json', 'yaml', 'toml'], 'yaml'],
    ['tex', ['html', 'latex'], 'latex'],
  ])('of %s among %j is %s', (word, words, expected) => {
    expect(nearest(word, words)).toBe(expected);
  });

  it.each([
    ['colour', ['input', 'algorithm', 'encoding', 'key']],
    ['operation', ['input', 'duration']],
    ['gif', ['png', 'jpeg', 'webp']],
    ['python', ['javascript', 'typescript', 'css', 'go']],
    ['', ['input']],
    ['!!', ['input']],
    ['日本', ['input']],
    ['x'.repeat(1_000_000), ['x'.repeat(1_000_000)]],
  ])('of no. %# is none', (word, words) => {
    expect(nearest(word, words)).toBeUndefined();
  });
});

it('finds the paths of fields in objects of an input, and not those of data', () => {
  const schema = z.object({
    a: z.string(),
    b: z.object({ c: z.object({ d: z.int() }).optional() }).prefault({}),
    e: z.record(z.string(), z.string()),
  });
  expect(fieldPaths(schema)).toEqual(['a', 'b', 'b.c', 'b.c.d', 'e']);
});
