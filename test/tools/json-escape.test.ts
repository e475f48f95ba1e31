import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonEscape } from '../../src/tools/json-escape.ts';
import { refusal, run } from './run.ts';

it('gives back every text', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }).filter((s) => s.isWellFormed()),
      async (text) => {
        const { output } = await run(jsonEscape, { input: text });
        expect(JSON.parse(`"${output}"`)).toBe(text);
        expect((await run(jsonEscape, { input: output, action: 'unescape' })).output).toBe(text);
      },
    ),
  );
});

it.each(['"', 'a"b', '\\', '\\x41', '\\ud800', 'a\nb'])('does not unescape %j', async (input) => {
  expect(await refusal(jsonEscape, { input, action: 'unescape' })).toMatchObject({
    status: 422,
    path: 'input',
  });
});
