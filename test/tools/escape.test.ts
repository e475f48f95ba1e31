import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escape } from '../../src/tools/escape.ts';
import regexes from './judges/regex.json';
import words from './judges/shell.json';
import { refusal, run } from './run.ts';

type Context = 'html' | 'xml' | 'csv' | 'sql' | 'shell' | 'regex';
const to = async (context: Context, input: string, options = {}) =>
  (await run(escape, { input, context, action: 'escape', options })).output;
const from = async (context: Context, input: string, options = {}) =>
  (await run(escape, { input, context, action: 'unescape', options })).output;
// oxlint-disable-next-line no-control-regex
const legal = /^[^\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]*$/;
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'\'"\\$`&<>;,\r\n=.*[](){}|^+?/- a'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
});

it.each([
  ['html', {}],
  ['xml', {}],
  ['csv', {}],
  ['sql', {}],
  ['sql', { dialect: 'mysql' }],
  ['shell', {}],
  ['regex', {}],
] as const)('unescape undoes escape: %s %j', async (context, options) => {
  await fc.assert(
    fc.asyncProperty(
      texts.filter((text) => legal.test(text)),
      async (text) => {
        expect(await from(context, await to(context, text, options), options)).toBe(text);
      },
    ),
    { numRuns: 300 },
  );
});

it('makes a pattern that matches the text and nothing else, with every flag', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      for (const flags of ['', 'u', 'v'])
        expect(new RegExp(`^${await to('regex', text)}$`, flags).test(text)).toBe(true);
    }),
  );
  expect(await to('regex', 'a-b/c d.')).toBe('a-b/c d\\.');
});

it.each([
  ['shell', "it's", "'it'\\''s'"],
  ['shell', '', "''"],
  ['csv', 'a,"b"', '"a,""b"""'],
  ['csv', 'plain', 'plain'],
  ['csv', ' space ', '" space "'],
  ['sql', "O'Hara", "O''Hara"],
  ['html', '<b>&"\'', '&lt;b&gt;&amp;&quot;&apos;'],
  ['xml', 'a\rb', 'a&#13;b'],
] as const)('%s of %j', async (context, input, output) => {
  expect(await to(context, input)).toBe(output);
});

it('guards spreadsheets on request', async () => {
  expect(await to('csv', '=SUM(A1)', { guard_formulas: true })).toBe("'=SUM(A1)");
  expect(await to('csv', '=SUM(A1)')).toBe('=SUM(A1)');
});

it.each(Object.entries(words.cases))('reads the word %j as bash does', async (word, text) => {
  expect(await from('shell', word)).toBe(text);
});

it.each(regexes.cases)('reads what $by writes: $pattern', async ({ pattern, text }) => {
  expect(await from('regex', pattern)).toBe(text);
});

it('reads characters by their number', async () => {
  expect(await from('regex', '\\x41\\u0042\\u{1F600}\\x{43}\\ud83d\\ude00\\0')).toBe('AB😀C😀\0');
  expect(await from('xml', '&#65;&#x1F600;&#9;')).toBe('A😀\t');
});

it('leaves MySQL’s wildcards their backslash', async () => {
  expect(await from('sql', '100\\%\\_\\n', { dialect: 'mysql' })).toBe('100\\%\\_\n');
});

it('removes quotes as a shell does', async () => {
  expect(await from('shell', `'a b'"c \\" \\n \\$x"d\\ e'f'`)).toBe('a bc " \\n $xd ef');
  expect(await from('shell', 'a\\\nb "c\\\nd"')).toBe('ab cd');
});

it.each([
  ['xml', 'escape', 'a\u0001'],
  ['xml', 'escape', '\uFFFE'],
  ['shell', 'escape', 'a\0b'],
  ['shell', 'unescape', "'a"],
  ['shell', 'unescape', 'a\\'],
  ['csv', 'unescape', '"a"b"'],
  ['csv', 'unescape', 'a,b'],
  ['sql', 'unescape', "a'b"],
  ['regex', 'unescape', '\\d'],
  ['regex', 'unescape', 'a\\'],
  ['regex', 'unescape', '\\1'],
  ['regex', 'unescape', '\\u{110000}'],
  ['regex', 'unescape', '\\ud800'],
  ['shell', 'unescape', "$'a"],
  ['shell', 'unescape', "$'\\0'"],
  ['shell', 'unescape', "$'\\xff'"],
  ['shell', 'unescape', "$'\\ud800'"],
  ['shell', 'unescape', "$'\\U110000'"],
  ['xml', 'unescape', '&#0;'],
  ['xml', 'unescape', 'a&#xD800;'],
  ['xml', 'unescape', '&#xFFFE;'],
  ['xml', 'unescape', '&#99999999999;'],
] as const)('refuses %s %s of %j', async (context, action, input) => {
  expect(await refusal(escape, { input, context, action })).toMatchObject({
    status: 422,
    path: 'input',
  });
});
