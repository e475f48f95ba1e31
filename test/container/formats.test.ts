import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConverter, type Converter } from '../../scripts/service.ts';
import { inputFormats, isBinary, outputFormats } from '../../src/shared/document-formats.ts';
import { convert, fileOf, textOf, upload } from './converter.ts';

const report = readFileSync('test/container/report.md', 'utf8');
const gaussian = { type: 'gaussian', mean: 128, sigma: 30 } as const;
const picture = sharp({
  create: { width: 64, height: 64, channels: 3, background: 'white', noise: gaussian },
});
const files = { 'img/flower.png': (await picture.png().toBuffer()).toString('base64') };
/** A PDF with one word, encrypted with a password (by qpdf). */
const encrypted =
  'JVBERi0xLjQKJb/3ov4KMSAwIG9iago8PCAvVHlwZSAvQ2F0YWxvZyA+PgplbmRvYmoKMiAwIG9iago8PCAvRmlsdGVyIC9TdGFuZGFyZCAvTGVuZ3RoIDEyOCAvTyA8MmEyZjBhMTk5MDE5MmM2MDExNDczMGJkY2QzOWYzNzgyOGE1M2M4OWEzNDBkZDQ3M2M4NTI5OWRjNTI1OGUxYz4gL1AgLTQgL1IgMyAvVSA8YmFhM2FkMTY1N2MzZGZlZGQ2OTJmZjY5MjkzNTU2N2MwMTIyNDU2YTkxYmFlNTEzNDI3M2E2ZGIxMzRjODdjND4gL1YgMiA+PgplbmRvYmoKeHJlZgowIDMKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAwMDAwMDE1IDAwMDAwIG4gCjAwMDAwMDAwNTEgMDAwMDAgbiAKdHJhaWxlciA8PCAvUm9vdCAxIDAgUiAvSUQgWzxjODZmODVmYTE5NTQyYWM4ZWEwODE2MDEwMThkM2FmNT48Yzg2Zjg1ZmExOTU0MmFjOGVhMDgxNjAxMDE4ZDNhZjU+XSAvRW5jcnlwdCAyIDAgUiA+PgpzdGFydHhyZWYKMjU4CiUlRU9GCg==';
let converter: Converter;

/** Converts a document: returns text, or base64. */
async function as(to: string, content: string, from = 'markdown'): Promise<string> {
  const reply = await convert(converter, { content, from, to, files });
  return isBinary(to) ? fileOf(reply) : textOf(reply);
}

beforeAll(async () => {
  converter = await startConverter();
});
afterAll(() => converter.stop());

const beginnings: Record<string, string> = {
  pdf: '%PDF-',
  docx: 'PK',
  odt: 'PK',
  epub: 'PK',
  pptx: 'PK',
  rtf: String.raw`\{\\rtf`,
};

/** The formats of the specification, which are converted in all pairs. */
const specified = inputFormats.slice(0, 9);

it('has the formats of the specification first', () => {
  const names = ['markdown', 'html', 'latex', 'rst', 'plain', 'docx', 'pdf', 'epub', 'odt'];
  expect(specified).toEqual(names);
  expect(outputFormats.slice(0, 10)).toEqual(names.toSpliced(5, 0, 'jats'));
});

describe.each(specified)('from %s', (from) => {
  it.each(outputFormats.slice(0, 10))('to %s', async (to) => {
    const content = from === 'markdown' ? report : await as(from, report);
    const result = await as(to, content, from);
    if (isBinary(to)) {
      expect(Buffer.from(result, 'base64').toString('latin1')).toMatch(
        new RegExp(`^${beginnings[to]}`),
      );
    }
    const text = isBinary(to) ? await as('plain', result, to) : result;
    expect(text).toContain('patience');
    expect(text).toMatch(/221/);
  });
});

/** Counts the words of a text; a hyphenated word counts once. */
function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
}

const isInput = (format: string) => (inputFormats as string[]).includes(format);
/** Pandoc does not read the numbers of lists in presentations, nor its own notes in RTF. */
const least: Record<string, number> = { pdf: 0.97, pptx: 0.98, rtf: 0.96 };

describe.each([
  ['a report', report],
  ['our README', readFileSync('README.md', 'utf8')],
])('the words of %s', (_, document) => {
  it.each(outputFormats.filter((format) => isInput(format)))('outlive %s', async (to) => {
    const before = wordsOf(await as('plain', document));
    const there = await as(to, document);
    const after = wordsOf(await as('plain', await as('markdown', there, to)));
    let [all, kept] = [0, 0];
    const lost: string[] = [];
    for (const [word, times] of before) {
      all += times;
      kept += Math.min(times, after.get(word) ?? 0);
      if ((after.get(word) ?? 0) < times) lost.push(word);
    }
    expect(kept / all, `lost: ${lost.join(' ')}`).toBeGreaterThanOrEqual(least[to] ?? 0.99);
  });
});

describe('formulas', () => {
  it.each(['html', 'latex', 'rst', 'docx', 'odt', 'epub'])('outlive %s', async (to) => {
    const there = await as(to, 'So $x^2$, and\n\n$$\\frac{a}{b}$$\n\nthen.');
    const back = await as('markdown', there, to);
    expect(back).toMatch(/^So \$x\^\{?2\}?\$, and/m);
    expect(back).toMatch(/^\$\$\s*\\frac\{a\}\{b\}\s*\$\$/m);
  });
});

describe('the format of a file', () => {
  it.each(['docx', 'odt', 'epub', 'pdf', 'html', 'latex'] as const)(
    'is told by its content for %s',
    async (format) => {
      const reply = await convert(converter, {
        content: '# Bees\n\nhum',
        from: 'markdown',
        to: format,
        options: { standalone: true },
      });
      const content = isBinary(format) ? Buffer.from(fileOf(reply), 'base64') : textOf(reply);
      const file = new File([content], 'unnamed');
      expect(textOf(await upload(converter, file, { to: 'plain' }))).toContain('hum');
    },
  );
  it('is detected by the name for Markdown, and required when nothing identifies it', async () => {
    const markdown = (name: string) => new File(['# Bees'], name);
    expect(textOf(await upload(converter, markdown('a.md'), { to: 'html' }))).toContain('<h1');
    const { status, message } = await upload(converter, markdown('a'), { to: 'html' });
    expect(status).toBe(422);
    expect(message).toMatch(/^from: is required: one of markdown, /);
  });
});

describe('plain text', () => {
  it('is converted to itself, except for wrapped lines', async () => {
    const address =
      'Ada Green\n12 Hive Road\nGraz\n\nDear Bob,\n\n# 5 * of _these_ are $ not markup\n';
    expect(await as('plain', address, 'plain')).toBe(address);
    const wrapped = 'A line that is so long that somebody once broke it at\nthe end of the page.\n';
    expect(await as('html', wrapped, 'plain')).toMatch(
      /^<p>A line .* at\nthe end of the page\.<\/p>$/m,
    );
  });
  it('keeps columns aligned', async () => {
    const table = 'apples     12\npears       7\n\n-----------\n\nplums       1\n';
    expect(await as('html', table, 'plain')).toBe(`<pre><code>${table.trimEnd()}</code></pre>\n`);
  });
  it('may be UTF-16 with a byte order mark, but not invalid UTF-8', async () => {
    const utf16 = Buffer.from('\uFEFFgrün', 'utf16le').toString('base64');
    const ask = (content: string) =>
      convert(converter, { content, content_encoding: 'base64', from: 'plain', to: 'plain' });
    expect(textOf(await ask(utf16))).toBe('grün\n');
    expect(await ask('/////w==')).toMatchObject({
      status: 422,
      message: 'content: must be text in UTF-8',
    });
  });
});

describe('PDF', () => {
  it('keeps headings, lists, tables, links, notes and pictures', async () => {
    const reply = await convert(converter, {
      content: await as('pdf', report),
      from: 'pdf',
      to: 'markdown',
      options: { extract_media: true },
    });
    const text = textOf(reply);
    expect(text).toMatch(/^# Why bees$/m);
    expect(text).toMatch(/^## What is needed$/m);
    expect(text).toMatch(/^-\s+a hive$/m);
    expect(text).toMatch(/^\s+-\s+with frames$/m);
    expect(text).toMatch(/^2\.\s+Wait for a swarm\.$/m);
    expect(text).toMatch(/2025\s+\|?\s*18\s+\|?\s*221/);
    expect(text).toContain('[list of plants](https://example.org/plants)');
    expect(text).toMatch(/^\[\^1\]: Notes are where the doubts are\.$/m);
    expect(text).toContain('well-known words');
    expect(text).toContain('`ls -l`');
    expect(text).toContain('نحل in Arabic and דבורים in Hebrew');
    expect(text).toContain('🐝');
    expect(text).toMatch(/^ {4}( {4})return 12\.5 \* hives$/m);
    expect(text).toMatch(/!\[A flower\]\(media\/[\w.]+\)/);
    expect(reply.answer.media).toHaveLength(1);
    expect(text).toContain(reply.answer.media[0]!.path);
  });
  /** Returns a PDF without tags, as TeX and old programs write it. */
  function untagged(source: string, picture?: Buffer): string {
    const workspace = mkdtempSync(join(tmpdir(), 'untagged-'));
    const compiler = NodeCompiler.create({ workspace });
    if (picture) compiler.mapShadow(join(workspace, 'a.png'), picture);
    const { result } = compiler.compile({ mainFileContent: source });
    const pdf = compiler.pdf(result!, { pdfTags: false });
    rmSync(workspace, { recursive: true });
    return pdf.toString('base64');
  }
  it('is read by its layout if it has no tags', async () => {
    const source =
      '= Of bees\n\nThey fly, and #link("https://example.org")[they] <hum>.\n\n- one\n- two\n\n== More\n\nIf a is \\<small>, it is. #pagebreak() The end.';
    const text = await as('markdown', untagged(source), 'pdf');
    expect(text).toMatch(/^# Of bees$/m);
    expect(text).toMatch(/^-\s+two$/m);
    expect(text).toMatch(/^#+ More$/m);
    expect(text).toContain('If a is \\<small\\>, it is.');
    expect(text).not.toMatch(/^-{3,}$/m);
  });
  it('is refused if its pages are scanned or it is encrypted', async () => {
    const noise = await picture.png().toBuffer();
    const read = (content: string) => convert(converter, { content, from: 'pdf', to: 'plain' });
    expect(await read(untagged('#image("a.png")', noise))).toMatchObject({
      status: 422,
      message: 'content: the PDF has no text; scanned pages are not supported',
    });
    expect(await read(encrypted)).toMatchObject({
      status: 422,
      message: 'content: the PDF is encrypted; send it without its password',
    });
  });
  it('is refused with the cause if it cannot be read', async () => {
    const read = async (content: string) =>
      convert(converter, {
        content: Buffer.from(content).toString('base64'),
        from: 'pdf',
        to: 'plain',
      });
    expect(await read('no PDF at all')).toMatchObject({
      status: 422,
      message: expect.stringContaining('content: the PDF cannot be read'),
    });
  });
});
