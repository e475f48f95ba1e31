import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeCase } from '../../src/tools/case.ts';
import { escape } from '../../src/tools/escape.ts';
import { jsonEscape } from '../../src/tools/json-escape.ts';
import { slug } from '../../src/tools/slug.ts';
import regexes from './judges/regex.json';
import words from './judges/shell.json';
import { refusal, run } from './run.ts';

describe('slug', () => {
  it.each([
    [{ input: 'Hello, World!' }, 'hello-world'],
    [{ input: "It's a dog’s life" }, 'its-a-dogs-life'],
    [{ input: 'Ünïcode Straße' }, 'ünïcode-straße'],
    [{ input: 'Ünïcode Straße', transliterate: true }, 'unicode-strasse'],
    [{ input: '北京 Жизнь', transliterate: true }, 'bei-jing-zhizn'],
    [{ input: 'e\u0301te\u0301', transliterate: true }, 'ete'],
    [{ input: 'a b c', separator: '_' }, 'a_b_c'],
    [{ input: 'a b c', separator: '' }, 'abc'],
    [{ input: 'alpha beta gamma', max_length: 12 }, 'alpha-beta'],
    [{ input: 'alpha beta', max_length: 10 }, 'alpha-beta'],
    [{ input: 'incomprehensibilities', max_length: 5 }, 'incom'],
    [{ input: 'co\u00adoperate' }, 'cooperate'],
    [{ input: '\uFEFFa\u2060b' }, 'ab'],
    [{ input: '€100, 1️⃣' }, '100-1'],
    [{ input: '€100 Brand™', transliterate: true }, '100-brand'],
    [{ input: '1½ ﬁne 𝓗', transliterate: true }, '1-1-2-fine-h'],
    [{ input: 'हिन्दी', max_length: 3 }, 'हि'],
    [{ input: 'می\u200cخواهم' }, 'می\u200cخواهم'],
    [{ input: 'col·legi צה"ל Ինչպե՞ս' }, 'collegi-צהל-ինչպես'],
    [{ input: '!!! 😀' }, ''],
    [{ input: '' }, ''],
  ])('%j', async (input, output) => {
    expect(await run(slug, input)).toEqual({
      slug: output,
      original: input.input,
      separator: 'separator' in input ? input.separator : '-',
    });
  });
});

describe('case', () => {
  it.each([
    ['HTTPServer2', 'snake', 'http_server2', 'pascal'],
    ['hello_world', 'camel', 'helloWorld', 'snake'],
    ['hello-world', 'pascal', 'HelloWorld', 'kebab'],
    ['helloWorld', 'kebab', 'hello-world', 'camel'],
    ['hello world', 'constant', 'HELLO_WORLD', 'lower'],
    ['MAX_VALUE', 'title', 'Max Value', 'constant'],
    ['The Quick Fox', 'sentence', 'The quick fox', 'title'],
    ['The quick fox', 'title', 'The Quick Fox', 'sentence'],
    ["don't stop", 'title', "Don't Stop", 'lower'],
    ["don't stop", 'camel', 'dontStop', 'lower'],
    ['XMLHttpRequest', 'camel', 'xmlHttpRequest', 'pascal'],
    ['version 1.2', 'snake', 'version_1_2', 'lower'],
    ['ÜBER GRÖSSE', 'camel', 'überGrösse', 'upper'],
    ['foo_Bar-baz', 'kebab', 'foo-bar-baz', 'mixed'],
    ['don’t stop', 'sentence', 'Don’t stop', 'lower'],
    ['userIDs', 'snake', 'user_ids', 'camel'],
    ['URLsList', 'kebab', 'urls-list', 'pascal'],
    ['IPv6Address', 'snake', 'ipv6_address', 'pascal'],
    ['iOSApp', 'snake', 'ios_app', 'camel'],
    ['OAuth2Client', 'snake', 'oauth2_client', 'pascal'],
    ['kHTTPTimeout', 'snake', 'k_http_timeout', 'camel'],
    ['HTTP2server 3DModel', 'snake', 'http2server_3d_model', 'mixed'],
    ['H2O B2B', 'snake', 'h2o_b2b', 'upper'],
    ['ΑΣ ΟΔΟΣ', 'title', 'Ας Οδος', 'upper'],
    ['𐐨𐐩 𐐨', 'title', '𐐀𐐩 𐐀', 'lower'],
    ['co\u00adoperate', 'camel', 'cooperate', 'lower'],
    ['हिन्दी_भाषा', 'title', 'हिन्दी भाषा', 'snake'],
    ['ภาษาไทย', 'snake', 'ภาษาไทย', 'unknown'],
    ['123 !', 'snake', '123', 'unknown'],
    ['', 'camel', '', 'unknown'],
  ] as const)('%s to %s', async (input, to, output, from) => {
    expect(await run(changeCase, { input, to })).toEqual({ output, from, to });
  });
});

describe('json-escape', () => {
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
});

describe('escape', () => {
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
});
