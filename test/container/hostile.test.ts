import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { strToU8, unzipSync, zipSync, type Zippable } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConverter, type Converter } from '../../scripts/service.ts';
import { convert, fileOf } from './converter.ts';

const seconds = 5;
const secret = 'swordfish-8812';
const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
const file = join(folder, 'secret.txt');
let converter: Converter;
let asked: string[] = [];
/** A server that must not get any request. */
const web = createServer((request, response) => {
  asked.push(request.url!);
  response.end(secret);
});
let address = '';

beforeAll(async () => {
  for (const name of ['secret.txt', 'secret.tex', 'secret.rst', 'secret.bib', 'secret.typ']) {
    writeFileSync(join(folder, name), secret);
  }
  await once(web.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  converter = await startConverter({ CONVERT_SECONDS: String(seconds), CONVERT_HEAP_MB: '512' });
});
afterAll(async () => {
  await converter.stop();
  web.close();
  rmSync(folder, { recursive: true });
});

/** Returns all output of a conversion as text. */
async function resultOf(from: string, to: string, content: string): Promise<string> {
  const reply = await convert(converter, { content, from, to, options: { extract_media: true } });
  if (reply.status !== 200) return `${reply.status} ${reply.message}`;
  const inZips = reply.files.flatMap((bytes) => {
    try {
      return Object.values(unzipSync(bytes));
    } catch {
      return [bytes];
    }
  });
  return [
    JSON.stringify(reply.answer),
    ...inZips.map((bytes) => Buffer.from(bytes).toString('latin1')),
  ].join();
}

describe('reads no file and requests no URL that a document names', () => {
  const documents: [from: string, content: string][] = [
    ['latex', '\\input{FILE} \\include{FILE} \\verbatiminput{FILE} \\lstinputlisting{FILE} hi'],
    [
      'latex',
      '\\usepackage{FOLDER/secret} \\bibliography{FOLDER/secret} \\includegraphics{FILE} hi',
    ],
    ['latex', '\\input{../../../../../../../FILE} \\includegraphics{WEB/a.png} hi'],
    ['rst', '.. include:: FILE\n\nhi'],
    ['rst', '.. include:: ../../../../../..FILE\n\nhi'],
    ['rst', '.. raw:: html\n   :file: FILE\n\nhi'],
    ['rst', '.. raw:: html\n   :url: WEB/raw\n\nhi'],
    ['rst', '.. csv-table:: a\n   :file: FILE\n\nhi'],
    ['rst', '.. csv-table:: a\n   :url: WEB/csv\n\nhi'],
    ['rst', '.. image:: WEB/a.png\n\n.. figure:: FILE\n\nhi'],
    ['markdown', '![a](WEB/a.png) ![b](FILE) ![c](file://FILE) ![d](../../../../../..FILE) hi'],
    ['markdown', '<img src="WEB/a.png"><iframe src="WEB/b"></iframe><embed src="FILE"> hi'],
    ['markdown', '---\nbibliography: FOLDER/secret.bib\ncsl: WEB/a.csl\n---\n\nhi [@a]'],
    [
      'markdown',
      '---\nfilters: [FILE]\ntemplate: FILE\ncss: WEB/a.css\nheader-includes: FILE\n---\n\nhi',
    ],
    ['markdown', '```{=typst}\n#read("FILE") #include "FOLDER/secret.typ"\n```\n\nhi'],
    ['markdown', '```{=typst}\n#import "@preview/cetz:0.3.4": canvas\n```\n\nhi'],
    ['html', '<base href="WEB/"><link rel=stylesheet href=a.css><img src=b.png><img src="FILE">hi'],
    [
      'html',
      '<img src="data:image/svg+xml,<svg xmlns=\'http://www.w3.org/2000/svg\'/>"><svg><image href="FILE"/></svg>hi',
    ],
  ];
  for (const to of ['html', 'docx', 'epub', 'pdf', 'odt', 'markdown']) {
    it.each(documents)(`%s to ${to}: %s`, async (from, content) => {
      asked = [];
      const named = content
        .replaceAll('FILE', file)
        .replaceAll('FOLDER', folder)
        .replaceAll('WEB', address);
      const result = await resultOf(from, to, named);
      expect(result).not.toContain(secret);
      expect(result).toMatch(/^(?:\{|422 )/);
      expect(asked).toEqual([]);
    });
  }

  it.each([
    '../a.png',
    '/../a',
    'a/../../b',
    '',
    '.',
    'stdin',
    'warnings/x',
    '.own/source',
    'a\0b',
  ])('takes no file by the path %j', async (path) => {
    const input = { content: 'hi', from: 'markdown', to: 'html', files: { [path]: 'aGk=' } };
    const { status, message } = await convert(converter, input);
    expect(status).toBe(422);
    expect(message).toContain(`files.${path}`);
  });

  it('leaves files that are not pictures out of a PDF, with a warning', async () => {
    const files = {
      'a.png': 'aGk=',
      'b.png': Buffer.from('\x89PNG\r\n\x1a\nbroken', 'latin1').toString('base64'),
    };
    const content = '![](a.png) ![](b.png) hi';
    const { answer } = await convert(converter, { content, from: 'markdown', to: 'pdf', files });
    expect(answer.warnings).toEqual([
      expect.stringContaining('media/a.png is not in a picture format'),
      expect.stringContaining('media/b.png is not in a picture format'),
    ]);
  });

  it('does not load pictures that an SVG refers to', async () => {
    asked = [];
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
      width="9" height="9"><image width="9" height="9" xlink:href="${address}/a.png"/>
      <image width="9" height="9" href="file://${file}"/></svg>`;
    const files = { 'a.svg': Buffer.from(svg).toString('base64') };
    const reply = await convert(converter, {
      content: '![](a.svg)',
      from: 'markdown',
      to: 'pdf',
      files,
    });
    expect(reply.message).toBe('');
    expect(asked).toEqual([]);
  });
});

/** Returns a Word file with one part replaced. */
async function docxWith(part: string, bytes: Uint8Array): Promise<string> {
  const docx = await convert(converter, { content: 'hi', from: 'markdown', to: 'docx' });
  const parts: Zippable = unzipSync(docx.files[0]!);
  return Buffer.from(zipSync({ ...parts, [part]: bytes })).toString('base64');
}

const laughs = `<!DOCTYPE lolz [<!ENTITY a0 "lol">${Array.from(
  { length: 12 },
  (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`,
).join('')}]>`;

/** Returns a PNG of one colour with a size in pixels. */
function hugePng(side: number): Uint8Array {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  const rows = deflateSync(Buffer.alloc(side * (side * 3 + 1)));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('a decompression bomb fails without effect on other conversions', () => {
  const zeros = new Uint8Array(400_000_000).fill(32);
  const bombs: [name: string, make: () => Promise<Record<string, unknown>>][] = [
    [
      'entities in Word',
      async () => ({
        from: 'docx',
        content: await docxWith('word/document.xml', strToU8(`${laughs}<a>&a12;</a>`)),
      }),
    ],
    [
      '400 MB of nothing in Word',
      async () => ({ from: 'docx', content: await docxWith('word/document.xml', zeros) }),
    ],
    [
      '400 MB of properties in Word',
      async () => ({ from: 'docx', content: await docxWith('docProps/core.xml', zeros) }),
    ],
    ['entities in HTML', async () => ({ from: 'html', content: `${laughs}<p>&a12;</p>` })],
    ['open brackets', async () => ({ from: 'markdown', content: '['.repeat(5000) })],
    ['quotes in quotes', async () => ({ from: 'markdown', content: `${'> '.repeat(5000)}x` })],
    ['macros of LaTeX', async () => ({ from: 'latex', content: '\\def\\a{\\a\\a}\\a' })],
    ['elements in elements', async () => ({ from: 'html', content: '<div>'.repeat(100_000) })],
    ['lists in lists', async () => ({ from: 'rst', content: `${'- '.repeat(2000)}x` })],
    [
      'a picture of 900 megapixels in PDF',
      async () => ({
        from: 'markdown',
        content: '![](a.png)',
        to: 'pdf',
        files: { 'a.png': Buffer.from(hugePng(30_000)).toString('base64') },
      }),
    ],
    [
      'a program in PDF that does not end',
      async () => ({
        from: 'markdown',
        to: 'pdf',
        content: '```{=typst}\n#while true { [a] }\n```',
      }),
    ],
  ];
  it.each(bombs)(
    '%s',
    async (_, make) => {
      const bomb = convert(converter, { to: 'plain', ...(await make()) });
      const small = { content: 'hi', from: 'markdown', to: 'html' };
      const others = await Promise.all([1, 2, 3].map(() => convert(converter, small)));
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
      const { status, message } = await bomb;
      expect([200, 422], message).toContain(status);
      expect(message).not.toMatch(/\/(?:work|tmp|home|root|usr)\//);
    },
    // Twice the time limit of a conversion, and much more for a busy machine.
    120_000,
  );
});

describe('malformed files are refused with a message', () => {
  it.each(['docx', 'odt', 'epub', 'pdf'])('as %s', async (from) => {
    for (const content of ['', 'AAAA', Buffer.from('PK\u0003\u0004garbage').toString('base64')]) {
      const { status, message } = await convert(converter, { content, from, to: 'plain' });
      expect(status).toBe(422);
      expect(message).toMatch(/^content: ./);
    }
  });
  it.each(['docx', 'odt', 'epub', 'pdf'])('and half a file as %s', async (to) => {
    const whole = fileOf(await convert(converter, { content: 'hi', from: 'markdown', to }));
    const half = Buffer.from(whole, 'base64')
      .subarray(0, whole.length / 3)
      .toString('base64');
    expect(await convert(converter, { content: half, from: to, to: 'plain' })).toMatchObject({
      status: 422,
    });
  });
});
