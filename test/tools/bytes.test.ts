import { describe, expect, it } from 'vitest';
import { base64Fault, fromBase64 } from '../../src/tools/bytes.ts';
import { detectFileTool } from '../../src/tools/detect-file/index.ts';
import { hash } from '../../src/tools/hash/index.ts';
import texts from './judges/base64.json';
import urls from './judges/data-urls.json';
import { refusal, run } from './run.ts';

const inHex = (text: string) => fromBase64(text)?.toHex() ?? null;

describe('base64', () => {
  it.each(Object.entries(texts.cases))('of %j is as in a browser', (text, bytes) => {
    expect(inHex(text)).toBe(bytes);
  });

  it.each(['', '\n', ' \t'])('says what is wrong, with %j in front', (before) => {
    expect(base64Fault(`${before}QUJ!`)).toBe(`it has "!" at offset ${before.length + 3}`);
    expect(base64Fault(`${before}Q`)).toContain('length');
    expect(base64Fault(`${before}\u00a0QUJD`)).toContain(`offset ${before.length}`);
  });
});

describe('a data: URL in place of base64', () => {
  it.each(Object.entries(urls.cases))('%j is read as browsers read it', (url, bytes) => {
    expect(inHex(url)).toBe(bytes);
  });

  it('is read as the platform reads it, which takes spaces before base64', async () => {
    for (const url of [
      'data:; base64,WA',
      'data:text/plain;base64 ,WA%3D%3D',
      'data:,%zz%4',
      'DATA:,ü',
    ]) {
      const bytes = await (await fetch(url)).bytes();
      expect(inHex(url), url).toBe(bytes.toHex());
    }
  });

  it.each(['data:', 'data:text/plain;base64', 'data:;base64,W', 'data:;base64,%%'])(
    'is refused when it has no bytes: %j',
    (url) => {
      expect(inHex(url)).toBeNull();
    },
  );

  it('is taken by every tool that takes base64', async () => {
    const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=';
    expect(await run(detectFileTool, { content: gif })).toMatchObject({ mime_type: 'image/gif' });
    const bytes = { input: 'data:,a%FF', input_encoding: 'base64' } as const;
    const { hash: digest } = await run(hash, { input: 'Yf8=', input_encoding: 'base64' });
    expect((await run(hash, bytes)).hash).toBe(digest);
    const wrong = await refusal(hash, { input: 'Y!', input_encoding: 'base64' });
    expect(wrong.message).toBe('input: is not base64: it has "!" at offset 1');
    for (const [input, fault] of [
      ['0x61 6g', 'it has "g" at offset 6'],
      ['616', 'it has an odd number of digits'],
    ] as const) {
      const refused = await refusal(hash, { input, input_encoding: 'hex' });
      expect(refused.message).toBe(`input: is not hex: ${fault}`);
    }
    expect((await refusal(detectFileTool, { content: 'Y' })).message).toContain('length');
  });
});
