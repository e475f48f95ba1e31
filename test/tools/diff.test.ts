import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diff } from '../../src/tools/diff/index.ts';
import { compare } from '../../src/tools/diff/myers.ts';
import { refusal, run } from './run.ts';

const texts = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'c',
      '',
      ' ',
      'x\r',
      '-',
      '+',
      '@@',
      '\\ No newline at end of file',
      '--- original',
    ),
    { maxLength: 30 },
  )
  .chain((lines) => fc.constantFrom(lines.join('\n'), lines.map((line) => `${line}\n`).join('')));

it('gives patches that lead from one text to the other, with any context', async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, fc.nat(20), async (original, modified, context_lines) => {
      const answer = await run(diff, { original, modified, context_lines });
      expect(applyPatch(original, answer.diff!, { autoConvertLineEndings: false })).toBe(modified);
    }),
    { numRuns: 500 },
  );
});

it('gives changes that hold both texts', async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, async (original, modified) => {
      const { changes, stats } = await run(diff, { original, modified, format: 'changes' });
      const lines = (text: string) =>
        text
          .replace(/\n$/, '')
          .split('\n')
          .slice(text === '' ? 1 : 0);
      const without = (type: string) =>
        changes!.filter((change) => change.type !== type).map(({ text }) => text);
      expect(without('insert')).toEqual(lines(original));
      expect(without('delete')).toEqual(lines(modified));
      expect(stats.additions).toBe(changes!.filter(({ type }) => type === 'insert').length);
    }),
  );
});

it('says which line has no line feed, as git does, when only one of the texts ends with one', async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, async (original, modified) => {
      const { changes } = await run(diff, { original, modified, format: 'changes' });
      const { hunks } = await run(diff, { original, modified });
      const differ = original.endsWith('\n') !== modified.endsWith('\n');
      for (const [type, text] of [
        ['insert', original],
        ['delete', modified],
      ] as const) {
        const side = changes!.filter((change) => change.type !== type);
        const marked = side.map(({ no_newline_at_end = false }) => no_newline_at_end);
        const last = differ && original !== '' && modified !== '' && !text.endsWith('\n');
        expect(marked).toEqual(side.map((_, i) => last && i === side.length - 1));
      }
      for (const change of hunks!.flatMap((hunk) => hunk.changes))
        expect(changes).toContainEqual(change);
    }),
  );
  expect(
    (await run(diff, { original: 'a\nb', modified: 'a\nb\n', format: 'changes' })).changes,
  ).toEqual([
    { type: 'equal', text: 'a' },
    { type: 'delete', text: 'b', no_newline_at_end: true },
    { type: 'insert', text: 'b' },
  ]);
});

it('finds the shortest script', () => {
  const sequences = fc.array(fc.nat(4), { maxLength: 25 }).map((values) => Int32Array.from(values));
  fc.assert(
    fc.property(sequences, sequences, (a, b) => {
      const changed = compare(a, b);
      const edits = [...changed.a, ...changed.b].reduce((sum, flag) => sum + flag, 0);
      expect(edits).toBe(a.length + b.length - 2 * longestCommon(a, b));
      expect(a.filter((_, i) => !changed.a[i])).toEqual(b.filter((_, i) => !changed.b[i]));
    }),
    { numRuns: 1000 },
  );
});

function longestCommon(a: Int32Array, b: Int32Array): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => next.push(x === y ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!)));
    row = next;
  }
  return row[b.length]!;
}

it('still gives a right script when it is too far to the shortest', () => {
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) % 50;
  const [a, b] = [
    Int32Array.from({ length: 20_000 }, random),
    Int32Array.from({ length: 20_000 }, random),
  ];
  const changed = compare(a, b);
  expect(a.filter((_, i) => !changed.a[i])).toEqual(b.filter((_, i) => !changed.b[i]));
});

describe('the unified form', () => {
  const unified = async (original: string, modified: string, context_lines = 3) =>
    (await run(diff, { original, modified, context_lines })).diff;

  it('is what GNU diff writes', async () => {
    expect(await unified('a\nb\nc\n', 'a\nB\nc\n')).toBe(
      '--- original\n+++ modified\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
    );
    expect(await unified('', 'a\n')).toBe('--- original\n+++ modified\n@@ -0,0 +1,1 @@\n+a\n');
    expect(await unified('a\nb\n', 'a\n', 0)).toBe(
      '--- original\n+++ modified\n@@ -2,1 +1,0 @@\n-b\n',
    );
  });

  it('keeps CR LF and a missing last line feed', async () => {
    expect(await unified('a\r\nb', 'a\nb\n')).toBe(
      '--- original\n+++ modified\n@@ -1,2 +1,2 @@\n-a\r\n-b\n\\ No newline at end of file\n+a\n+b\n',
    );
  });

  it('of equal texts is the header and no hunks', async () => {
    expect(await run(diff, { original: 'a', modified: 'a' })).toEqual({
      stats: { additions: 0, deletions: 0 },
      diff: '--- original\n+++ modified\n',
      hunks: [],
    });
  });

  it('joins hunks whose contexts touch, and not others', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `${i}\n`);
    const changed = (...at: number[]) =>
      lines.map((line, i) => (at.includes(i) ? 'x\n' : line)).join('');
    expect(
      (await run(diff, { original: lines.join(''), modified: changed(3, 10) })).hunks,
    ).toHaveLength(1);
    expect(
      (await run(diff, { original: lines.join(''), modified: changed(3, 11) })).hunks,
    ).toMatchObject([
      { original_start: 1, original_count: 7, modified_start: 1, modified_count: 7 },
      { original_start: 9, original_count: 7, modified_start: 9, modified_count: 7 },
    ]);
  });
});

it('refuses what it cannot do', async () => {
  expect((await refusal(diff, { original: 'a' })).path).toBe('modified');
  expect((await refusal(diff, { original: 'a', modified: 'b', context_lines: 21 })).path).toBe(
    'context_lines',
  );
});
