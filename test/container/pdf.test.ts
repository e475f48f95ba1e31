import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConverter, type Converter } from '../../scripts/service.ts';
import { convert, textOf, type Reply } from './converter.ts';

let converter: Converter;
beforeAll(async () => {
  converter = await startConverter();
});
afterAll(() => converter.stop());

const toPdf = (content: string, options: object = {}) =>
  convert(converter, { content, from: 'markdown', to: 'pdf', options });

/** Returns the size of the first page in points, and the text of each page, as pdf.js reads it. */
async function read({ status, message, files }: Reply) {
  if (status !== 200) throw new Error(`${status}: ${message}`);
  const task = getDocument({ data: new Uint8Array(files[0]!), verbosity: 0 });
  const pdf = await task.promise;
  const first = await pdf.getPage(1);
  const { width, height } = first.getViewport({ scale: 1 });
  const pages: string[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    pages.push(
      items
        .map((item) => ('str' in item ? item.str : ''))
        .join(' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
  }
  await task.destroy();
  return { width: Math.round(width), height: Math.round(height), pages };
}

describe('characters', () => {
  it('have a glyph in every language of the Unicode CLDR', async () => {
    // The letters, marks and numbers of `exemplarCharacters` in cldr-misc-full 48.2.0 (Unicode License v3), with
    // a tenth of the Chinese characters and Hangul syllables, and without Church Slavonic, Deseret, Shavian and
    // Sunuwar. PDF/A allows no missing glyphs.
    const content = readFileSync('test/container/exemplars.txt', 'utf8').replaceAll('\n', '\n\n');
    const { status, message, answer } = await toPdf(content, { pdf_standard: 'a-2b' });
    expect({ status, message, warnings: answer.warnings }).toEqual({
      status: 200,
      message: '',
      warnings: [],
    });
  }, 60_000);
  it('without a glyph are named in a warning', async () => {
    const { answer } = await toPdf('a 𓀀 and 𓀁');
    expect(answer.warnings).toEqual([
      'no font has these characters, which the PDF shows as boxes: 𓀀 (U+13000), 𓀁 (U+13001)',
    ]);
  });
  it('may be emoji of several characters', async () => {
    const reply = await toPdf('👩‍💻 🇩🇪 👍🏽 1️⃣ ❤️');
    expect(reply.answer.warnings).toEqual([]);
    expect((await read(reply)).pages[0]).toContain('👩‍💻');
  });
});

describe('text', () => {
  it('is not taken for a placeholder or a program', async () => {
    const content =
      'FALLBACKS [a FALLBACKS](https://example.org/FALLBACKS) `#link("")[b]` #eval("1") `$title$ // Body`';
    const { pages } = await read(await toPdf(content));
    expect(pages[0]).toMatch(
      /FALLBACKS a FALLBACKS #link\(""\)\[b\] #eval\(“1”\) \$title\$ \/\/ Body/,
    );
  });
  it('keeps its quotation marks, and has those of its language for straight ones', async () => {
    const content = '„Hallo“ ”Svenska” "straight"';
    expect((await read(await toPdf(content))).pages[0]).toBe('„Hallo“ ”Svenska” “straight”');
    const german = await read(await toPdf(`---\nlang: de\n---\n${content}`));
    expect(german.pages[0]).toBe('„Hallo“ ”Svenska” „straight“');
  });
});

describe('options.page', () => {
  const long = `---\ntitle: The title\n---\n\n${'A paragraph.\n\n'.repeat(80)}`;
  it.each([
    [{}, 595, 842],
    [{ size: 'letter' }, 612, 792],
    [{ size: 'a5', landscape: true }, 595, 420],
    [{ size: 'tabloid', margin: 10 }, 792, 1224],
  ])('%j has its size', async (page, width, height) => {
    expect(await read(await toPdf('text', { page }))).toMatchObject({ width, height });
  });
  it('has numbers if there are several pages, a header and a footer', async () => {
    expect((await read(await toPdf('text'))).pages).toEqual(['text']);
    expect((await read(await toPdf(long))).pages[1]).toMatch(/ 2$/);
    const bare = await read(await toPdf(long, { page: { page_numbers: false } }));
    expect(bare.pages[1]).toMatch(/paragraph\.\s*$/);
    const page = { header: { left: '{title}', right: '*draft* {pages}' }, footer: '- {page} -' };
    const { pages } = await read(await toPdf(long, { page }));
    expect(pages[1]).toMatch(/The title/);
    expect(pages[1]).toContain(`*draft* ${pages.length}`);
    expect(pages[1]).toContain('- 2 -');
  });
  it('has margins', async () => {
    const many = async (margin: unknown) =>
      (await read(await toPdf(long, { page: { margin } }))).pages.length;
    expect(await many({ top: 60, bottom: 60 })).toBeGreaterThan(await many(5));
  });
  it('is refused with the name of the field', async () => {
    const { status, message } = await toPdf('text', { page: { size: 'a9', margin: 99 } });
    expect(status).toBe(422);
    expect(message).toContain('options.page.size');
    expect(message).toContain('options.page.margin');
  });
});

describe('options.pdf_standard', () => {
  it('is a standard that the file names', async () => {
    const { files } = await toPdf('text', { pdf_standard: 'a-3a' });
    const xmp = new TextDecoder('latin1').decode(files[0]);
    expect(xmp).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(xmp).toContain('<pdfaid:conformance>A</pdfaid:conformance>');
  });
  it('is refused with the cause if the document violates it', async () => {
    const { status, message } = await toPdf('text', { pdf_standard: 'ua-1' });
    expect([status, message]).toEqual([
      422,
      'content: the PDF cannot be made: PDF/UA-1 error: missing document title',
    ]);
  });
});

describe('a PDF without tags', () => {
  /** Returns a PDF as old programs write it. */
  function untagged(source: string, picture?: Buffer): string {
    const workspace = mkdtempSync(join(tmpdir(), 'untagged-'));
    const fontBlobs = ['arabic/fonts/NotoNaskhArabic', 'hebrew/fonts/NotoSansHebrew'].map((name) =>
      readFileSync(`node_modules/@embedpdf/fonts-${name}-Regular.ttf`),
    );
    const compiler = NodeCompiler.create({ workspace, fontArgs: [{ fontBlobs }] });
    if (picture) compiler.mapShadow(join(workspace, 'a.png'), picture);
    const { result } = compiler.compile({ mainFileContent: source });
    const pdf = compiler.pdf(result!, { pdfTags: false });
    rmSync(workspace, { recursive: true });
    return pdf.toString('base64');
  }
  const ask = (content: string) => convert(converter, { content, from: 'pdf', to: 'plain' });

  it('keeps right-to-left order, and characters beyond the Basic Multilingual Plane', async () => {
    const text = textOf(await ask(untagged('مرحبا بالعالم\n\nשלום עולם\n\n𝒜 and 𝟙 are letters.')));
    expect(text).toContain('مرحبا بالعالم');
    expect(text).toContain('שלום עולם');
    expect(text).toContain('𝒜 and 𝟙');
  });
  it('keeps text that is not upright', async () => {
    const text = textOf(await ask(untagged('#rotate(90deg, reflow: true)[Turned to the side.]')));
    expect(text).toContain('Turned to the side.');
  });
  it('has a warning for its scanned pages', async () => {
    const create = { width: 400, height: 400, channels: 3, background: 'red' } as const;
    const picture = await sharp({ create }).png().toBuffer();
    const { answer } = await ask(untagged('text #pagebreak() #image("a.png")', picture));
    expect(answer.warnings).toContain('no text on page 2, only pictures');
  });
});
