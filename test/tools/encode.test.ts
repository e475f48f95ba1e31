import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../src/tools/encode/index.ts';
import labels from './judges/punycode.json';
import { refusal, run } from './run.ts';

type Format = 'base64' | 'url' | 'html' | 'hex' | 'punycode';
const encoded = async (format: Format, input: string) =>
  (await run(encode, { input, format, action: 'encode' })).output;
const decoded = async (format: Format, input: string) =>
  (await run(encode, { input, format, action: 'decode' })).output;

it.each(['base64', 'url', 'html', 'hex'] as const)('%s gives back every text', async (format) => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }).filter((s) => s.isWellFormed()),
      async (text) => {
        expect(await decoded(format, await encoded(format, text))).toBe(text);
      },
    ),
  );
});

describe('base64', () => {
  it.each([
    ['Zm9v', 'foo'],
    ['Zm8', 'fo'],
    ['Zg==', 'f'],
    ['Z\ng =\r\n=', 'f'],
    ['8J-YgA', '😀'],
    ['', ''],
  ])('decodes %j', async (text, output) => {
    expect(await decoded('base64', text)).toBe(output);
  });

  it.each(['Z', 'Zg=', '@@@@', 'Zg==Zg==', 'Zg===', 'Zm9v!'])('refuses %j', async (text) => {
    expect(
      await refusal(encode, { input: text, format: 'base64', action: 'decode' }),
    ).toMatchObject({ status: 422, path: 'input' });
  });

  it('gives bytes that are no text in the encoding asked for, and says how to ask', async () => {
    const input = { input: '/w==', format: 'base64', action: 'decode' } as const;
    expect((await refusal(encode, input)).message).toContain('output_encoding');
    expect((await run(encode, { ...input, output_encoding: 'hex' })).output).toBe('ff');
    expect((await run(encode, { ...input, output_encoding: 'base64' })).output).toBe('/w==');
  });

  it('keeps a byte order mark', async () => {
    expect(await decoded('base64', '77u/YQ==')).toBe('\uFEFFa');
  });
});

describe('url', () => {
  it('leaves RFC 3986’s unreserved characters and nothing else', async () => {
    expect(await encoded('url', "aZ09-._~ !'()*+/ü")).toBe(
      'aZ09-._~%20%21%27%28%29%2A%2B%2F%C3%BC',
    );
  });

  it('takes + as it stands', async () => {
    expect(await decoded('url', 'a+b%20c')).toBe('a+b c');
  });

  it.each([
    ['%', 0],
    ['ab%4', 2],
    ['%zz', 0],
    ['%41%', 3],
  ])('says where %j breaks', async (input, offset) => {
    expect((await refusal(encode, { input, format: 'url', action: 'decode' })).message).toContain(
      `offset ${offset}`,
    );
  });

  it('refuses bytes that are not UTF-8', async () => {
    expect((await refusal(encode, { input: '%ff', format: 'url', action: 'decode' })).status).toBe(
      422,
    );
  });
});

it('resolves character references once, as a browser does', async () => {
  expect(await encoded('html', `<a href="x" title='&'>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&apos;&amp;&apos;&gt;',
  );
  expect(await decoded('html', '&notit; &#x80; &amp;lt; &NotEqualTilde; &#0; &bogus; &lt')).toBe(
    '¬it; € &lt; ≂̸ � &bogus; <',
  );
});

it('reads hex in every dress', async () => {
  expect(await encoded('hex', 'é')).toBe('c3a9');
  for (const text of ['C3a9', '0xC3A9', '0xc3 0xa9', 'c3:a9', 'c3 a9'])
    expect(await decoded('hex', text)).toBe('é');
  for (const input of ['c3a', 'gg'])
    expect((await refusal(encode, { input, format: 'hex', action: 'decode' })).status).toBe(422);
});

describe('punycode', () => {
  it.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['faß.de', 'xn--fa-hia.de'],
    ['日本語。jp', 'xn--wgv71a119e.jp'],
    ['1.2.3', '1.2.3'],
    ['EXAMPLE.com', 'example.com'],
    ['jürgen@bücher.example', 'jürgen@xn--bcher-kva.example'],
    ['', ''],
  ])('encodes %s', async (text, ascii) => {
    expect(await encoded('punycode', text)).toBe(ascii);
  });

  it('decodes', async () => {
    expect(await decoded('punycode', 'xn--bcher-kva.example')).toBe('bücher.example');
    expect(await decoded('punycode', 'a@xn--bcher-kva.example')).toBe('a@bücher.example');
  });

  it.each(['a b', 'a/b', 'a:80', 'a%41', 'x\ty', '[::1]', 'xn--ü'])(
    'refuses %j, which is no domain',
    async (input) => {
      expect((await refusal(encode, { input, format: 'punycode', action: 'encode' })).status).toBe(
        422,
      );
    },
  );

  it.each(Object.entries(labels.cases))('writes %s as others do', async (label, ascii) => {
    expect(await encoded('punycode', `a.${label}.x`)).toBe(`a.${ascii}.x`);
    expect(await decoded('punycode', `a.${ascii}.x`)).toBe(`a.${label}.x`);
  });

  it.each(['xn--a', 'xn--', 'xn--zn7c.com', 'a@b.xn--a'])('does not decode %s', async (input) => {
    const { status, message } = await refusal(encode, {
      input,
      format: 'punycode',
      action: 'decode',
    });
    expect(status).toBe(422);
    expect(message).toContain(`the label "${/xn--\w*/.exec(input)![0]}"`);
  });

  it('says why its output cannot be a name in DNS', async () => {
    const warnings = async (input: string) =>
      (await run(encode, { input, format: 'punycode', action: 'encode' })).warnings;
    expect(await warnings('bücher.example')).toBeUndefined();
    expect(await warnings('b.xn--a')).toEqual([expect.stringContaining('label xn--a')]);
    expect(await warnings(`${'a'.repeat(64)}.com`)).toEqual([expect.stringContaining('63 octets')]);
    expect(await warnings('a.'.repeat(130))).toEqual([expect.stringContaining('253 octets')]);
  });
});
