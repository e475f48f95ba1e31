import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConverter, type Converter } from '../../scripts/service.ts';
import { highlightStyles } from '../../src/tools/convert-document/index.ts';
import { convert, fileOf, textOf } from './converter.ts';
import { faultsOf } from './jats/validate.ts';

const report = readFileSync('test/container/report.md', 'utf8');
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAFElEQVQImWP4z8DAAMIM/////w8AH+4F+0HwQUsAAAAASUVORK5CYII=';
let converter: Converter;

beforeAll(async () => {
  converter = await startConverter();
});
afterAll(() => converter.stop());

const ask = (input: object) =>
  convert(converter, {
    content: report,
    from: 'markdown',
    to: 'html',
    files: { 'img/flower.png': dot },
    ...input,
  });
const text = async (input: object) => textOf(await ask(input));

describe('standalone', () => {
  it('is a whole document with the option, and a fragment without', async () => {
    expect(await text({ options: { standalone: true } })).toMatch(
      /^<!DOCTYPE html>[^]*<\/html>\n$/,
    );
    expect(await text({})).toMatch(/^<h1/);
    expect(await text({ to: 'latex', options: { standalone: true } })).toContain('\\documentclass');
    expect(await text({ to: 'markdown', options: { standalone: true } })).toMatch(/^---\n/);
    expect(await text({ to: 'latex' })).not.toContain('\\documentclass');
  });
});

describe('toc', () => {
  it.each([
    ['html', /<nav id="TOC"[^]*href="#why-bees"[^]*<h1/],
    ['markdown', /^- .*Why bees[^]*^# Why bees/m],
    ['plain', /Why bees[^]*Why bees\n/],
    ['latex', /\\tableofcontents[^]*\\section\{Why bees\}/],
    ['rst', /^\.\. contents::[^]*^Why bees$/m],
  ])('stands before the body in %s', async (to, shape) => {
    expect(await text({ to, options: { toc: true } })).toMatch(shape);
    expect(await text({ to })).not.toMatch(shape);
    expect(await text({ to, options: { toc: true, standalone: true } })).toMatch(/Why bees/);
  });
});

it('number_sections numbers the headings', async () => {
  const numbered = await text({ options: { number_sections: true } });
  expect(numbered).toContain('<span class="header-section-number">1.1</span> What is needed');
});

describe('the style of code', () => {
  it.each(highlightStyles)('may be %s', async (style) => {
    const html = await text({ options: { highlight_stylex: style, standalone: true } });
    expect(html.includes('<span class="kw">def</span>')).toBe(style !== 'none');
    expect(html).toBe(await text({ options: { highlight_style: style, standalone: true } }));
  });
  it('changes the output, and `none` leaves code uncoloured', async () => {
    const pages = await Promise.all(
      ['kate', 'zenburn'].map((highlight_style) =>
        text({ options: { highlight_style, standalone: true } }),
      ),
    );
    expect(pages[0]).not.toBe(pages[1]);
    expect(await text({})).not.toContain('class="kw"');
  });
  it('is refused if unknown', async () => {
    const { status, message } = await ask({ options: { highlight_stylex: 'nope' } });
    expect(status).toBe(422);
    expect(message).toContain('options.highlight_stylex');
    for (const style of highlightStyles) expect(message).toContain(style);
  });
});

describe('extract_media', () => {
  const media = { extract_media: true };
  it.each(['docx', 'odt', 'epub'])('gives the pictures of %s', async (from) => {
    const content = fileOf(await ask({ to: from }));
    for (const to of ['html', 'markdown', 'latex', 'docx']) {
      const reply = await ask({ content, from, to, files: {}, options: media });
      expect(reply.answer.media).toHaveLength(1);
      const [{ path, file }] = reply.answer.media as [{ path: string; file: number }];
      if (to !== 'docx') expect(textOf(reply)).toContain(path);
      expect(Buffer.from(reply.files[file]!).toString('base64')).toBe(dot);
      expect(reply.answer.files[file]).toMatchObject({ type: 'image/png' });
    }
  });
  it('extracts pictures in the document, and those sent with it', async () => {
    const inside = {
      content: `<img src="data:image/png;base64,${dot}">`,
      from: 'html',
      options: media,
    };
    expect((await ask(inside)).answer.media).toHaveLength(1);
    const beside = await ask({ options: media });
    expect(textOf(beside)).toContain(beside.answer.media[0]!.path);
  });
  it('extracts nothing by default', async () => {
    expect((await ask({ options: { structured_metadata: true } })).answer.media).toEqual([]);
  });
});

describe('files sent with a document', () => {
  const chapter = Buffer.from('Of *wax*.').toString('base64');
  it.each([
    ['latex', '\\input{part/one}', 'part/one.tex'],
    ['latex', '\\include{one}', 'one.tex'],
    ['rst', '.. include:: part/one.rst', 'part/one.rst'],
  ])('are included by %s: %s', async (from, content, path) => {
    expect(await text({ content, from, to: 'plain', files: { [path]: chapter } })).toMatch(
      /^Of \*?_?wax/,
    );
  });
  it('are found by the path in the document, in any notation', async () => {
    for (const [said, path] of [
      ['./img/a b.png', 'img/a b.png'],
      ['img/a%20b.png', 'img/a b.png'],
      ['a.png', './a.png'],
      ['x/a.png', 'x\\a.png'],
    ]) {
      const input = { content: `![](<${said}>)`, to: 'docx', files: { [path!]: dot } };
      expect((await ask(input)).answer.warnings, said).toEqual([]);
    }
  });
});

it('warns about missing files', async () => {
  const { answer } = await ask({ to: 'docx', files: {} });
  expect(answer.warnings).toEqual([
    'not among the files; descriptions stand in the places of these pictures: img/flower.png',
  ]);
  expect((await ask({})).answer.warnings).toEqual([]);
});

const references = `@book{frisch, author = {von Frisch, Karl}, title = {{Aus dem Leben der Bienen}}, year = {1927}}`;

describe('structured_metadata', () => {
  const metadata = async (input: object) =>
    (await ask({ options: { structured_metadata: true }, ...input })).answer.metadata;

  it('comes from YAML', async () => {
    expect(await metadata({})).toEqual({
      title: 'The keeping of bees',
      subtitle: 'A report',
      authors: [
        {
          name: 'Ada Green',
          affiliations: ['Institute of Insects, Graz', 'Free Garden'],
          email: 'ada@example.org',
          orcid: '0000-0002-1825-0097',
          corresponding: true,
        },
        { name: 'Bob Blue', affiliations: ['Free Garden'] },
      ],
      abstract: 'Bees were counted for two summers.\n\nThey were many.',
      keywords: ['bees', 'honey'],
      date: '2026-05-04',
      language: 'en-GB',
      license: 'CC BY 4.0',
      doi: '10.5555/bees.1',
    });
  });
  it.each(['docx', 'odt', 'epub', 'pdf'])('comes from %s', async (from) => {
    const content = fileOf(await ask({ to: from }));
    const found = await metadata({ content, from, to: 'plain' });
    expect(found).toMatchObject({ title: 'The keeping of bees' });
    expect(found!.authors!.map(({ name }) => name)).toEqual(['Ada Green', 'Bob Blue']);
  });
  it('comes from LaTeX and HTML', async () => {
    const latex =
      '\\title{On \\emph{bees}}\\author{Ada Green\\thanks{Graz} \\and Bob Blue}\\date{May 2026}';
    const article = `\\documentclass{article}${latex}\\begin{document}\\maketitle hi\\end{document}`;
    expect(await metadata({ content: article, from: 'latex' })).toEqual({
      title: 'On bees',
      authors: [{ name: 'Ada Green' }, { name: 'Bob Blue' }],
      date: 'May 2026',
    });
    const page =
      '<html lang="de"><head><title>Bienen</title><meta name="author" content="Ada Grün"><meta name="keywords" content="Honig, Wachs"></head><body>hi</body></html>';
    expect(await metadata({ content: page, from: 'html' })).toEqual({
      title: 'Bienen',
      authors: [{ name: 'Ada Grün' }],
      keywords: ['Honig', 'Wachs'],
      language: 'de',
    });
  });
  it('has references as CSL-JSON, from a bibliography file or from the text', async () => {
    const book = {
      id: 'frisch',
      type: 'book',
      title: 'Aus dem Leben der Bienen',
      issued: { 'date-parts': [[1927]] },
    };
    const files = { 'a.bib': Buffer.from(references).toString('base64') };
    const beside = await metadata({ content: 'Says @frisch.', files });
    expect(beside!.references).toMatchObject([book]);
    const within = `---\nreferences:\n- ${JSON.stringify({ ...book, issued: { year: 1927 } })}\n---\n\nSays @frisch.`;
    expect((await metadata({ content: within }))!.references).toMatchObject([book]);
  });
  it('is absent by default', async () => {
    expect((await ask({})).answer).not.toHaveProperty('metadata');
  });
});

describe('a bibliography', () => {
  const files = { 'a.bib': Buffer.from(references).toString('base64') };
  it('turns citations into text, except in Markdown', async () => {
    const content = 'He knew [@frisch].';
    expect(await text({ content, files })).toContain('(Frisch 1927)');
    expect(await text({ content, files })).toContain('Aus dem Leben der Bienen');
    expect(await text({ content, files, to: 'markdown' })).toBe('He knew [@frisch].\n');
  });
  it('is not required where an @ is not a citation', async () => {
    const { answer } = await ask({ content: 'Ask @ada, or write\n\n    bibliography: none\n' });
    expect(answer.warnings).toEqual([]);
  });
});

describe('a manuscript', () => {
  const options = { mode: 'manuscript', output_formats: ['pdf', 'latex', 'html'] };
  it('has JATS, Markdown, metadata, and all requested formats', async () => {
    const files = { 'a.bib': Buffer.from(references).toString('base64') };
    const reply = await ask({
      content: `${report}\nHe knew [@frisch].\n`,
      to: 'docx',
      files,
      options,
    });
    const { results, jats, markdown, metadata } = reply.answer;
    expect(results.map(({ format }) => format)).toEqual(['docx', 'pdf', 'latex', 'html']);
    expect(reply.files).toHaveLength(2);
    expect(results[2]!.output).toContain('\\section{Why bees}');
    expect(markdown).toContain('# Why bees');
    expect(metadata).toMatchObject({ title: 'The keeping of bees', doi: '10.5555/bees.1' });
    expect(jats).toContain('<article-title>The keeping of bees</article-title>');
    expect(jats).toContain('<contrib-id contrib-id-type="orcid">');
    expect(jats).toContain('<element-citation publication-type="book">');
    expect(faultsOf(jats!)).toBe('');
  });
});

describe('JATS is valid', () => {
  it.each([
    ['of a report', 'markdown', report],
    ['of our README', 'markdown', readFileSync('README.md', 'utf8')],
    [
      'with groups in groups',
      'html',
      '<div id="a"><div><p>a</p><div><h2>b</h2><p>c</p></div></div></div>',
    ],
    [
      'with the same name twice, and a link to none',
      'markdown',
      '# A {#a}\n\n# B {#a}\n\n[x](#none) [y](#a)',
    ],
    ['with nothing in a list', 'markdown', '-\n- b\n\n1.\n2. c'],
    ['with a table of heads', 'html', '<table><thead><tr><th>a</th></tr></thead></table>'],
    [
      'with code of a language in a line',
      'rst',
      '.. role:: python(code)\n   :language: python\n\n:python:`a = 1`',
    ],
    ['of nothing', 'markdown', ''],
  ])('%s', async (_, from, content) => {
    expect(faultsOf(await text({ content, from, to: 'jats' }))).toBe('');
  });
  it('by a validator that does find errors', async () => {
    const jats = await text({ content: 'hi', to: 'jats' });
    expect(faultsOf(jats.replace('<p>', '<p><p>'))).not.toBe('');
    expect(faultsOf(jats.replace('<body>', '<body><foo/>'))).toContain('foo');
  });
});

it('treats a Word document’s title as text', async () => {
  const content = fileOf(await ask({ to: 'docx' }));
  const from = 'docx';
  expect(await text({ content, from, to: 'markdown' })).toMatch(
    /^# The keeping of bees\n\nA report\n/,
  );
  expect(await text({ content, from, to: 'html' })).toMatch(
    /^<h1 class="title">The keeping of bees<\/h1>/,
  );
  expect(await text({ content, from, to: 'rst' })).toMatch(/^=+\nThe keeping of bees\n=+/);
});
