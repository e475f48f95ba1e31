// What a document contains, and what becomes of it in other formats.
import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConverter, type Converter } from '../../scripts/service.ts';
import { documentFormats, type OutputFormat } from '../../src/shared/document-formats.ts';
import { convert, fileOf, textOf, upload } from './converter.ts';
import { faultsOf } from './jats/validate.ts';

let converter: Converter;
beforeAll(async () => {
  converter = await startConverter();
});
afterAll(() => converter.stop());

const ask = (content: string, to: string, more: object = {}) =>
  convert(converter, { content, from: 'markdown', to, ...more });
/** Returns the result as plain text. */
async function plain(content: string, to: OutputFormat, from = 'markdown'): Promise<string> {
  const reply = await ask(content, to, { from });
  const { binary } = documentFormats[to];
  const there = binary ? fileOf(reply) : textOf(reply);
  return textOf(await ask(there, 'plain', { from: to }));
}
const part = (file: string, path: string) =>
  Buffer.from(unzipSync(Buffer.from(file, 'base64'))[path]!).toString();

const readme = `<h1 align="center">Hive</h1>
<p align="center">
  <a href="https://example.org"><img src="logo.png" alt="A bee" width="40"></a><br>
  Press <kbd>Esc</kbd>, H<sub>2</sub>O
</p>

Words with <b>bold</b> and a note.[^1]<br>Next line, [<b>linked</b>](https://example.org/x).

<details>
<summary>More</summary>

- *item* <sup>up</sup>

</details>

<table><tr><td>

**cell**

</td><td>other</td></tr></table>

[^1]: The <i>note</i>.
`;

describe.each(['gfm', 'markdown', 'commonmark'])('HTML in %s', (from) => {
  it.each(['docx', 'odt', 'epub', 'pdf', 'latex', 'rst', 'asciidoc', 'org'] as const)(
    'is part of %s',
    async (to) => {
      const text = await plain(readme, to, from);
      const words = 'Hive Esc bold Next line linked More item cell other';
      for (const word of words.split(' ')) expect(text).toContain(word);
      if (from !== 'commonmark') expect(text).toContain('note');
      expect(text).not.toMatch(/<\/?(?:b|h1|td|kbd)\b/);
    },
  );
  it('is part of plain text and of JATS, which is valid', async () => {
    expect(textOf(await ask(readme, 'plain', { from }))).toMatch(/Hive[^]*Esc[^]*cell/);
    const jats = textOf(await ask(readme, 'jats', { from }));
    expect(jats).toContain('<title>Hive</title>');
    expect(jats).toContain('xlink:href="logo.png"');
    expect(faultsOf(jats)).toBe('');
  });
  it('stays in HTML and Markdown', async () => {
    for (const to of ['html', 'gfm']) {
      expect(textOf(await ask(readme, to, { from }))).toContain('<kbd>Esc</kbd>');
    }
  });
});

it('does not take an attribute in the document for a placeholder', async () => {
  const content = '*a* <span data-element1="1" data-1="1">b</span> **c**';
  expect(textOf(await ask(content, 'plain'))).toBe('a b c\n');
});

describe('LaTeX in Markdown', () => {
  const content =
    '\\begin{align}\na &= b \\label{eq:a}\\\\\nc &= d\n\\end{align}\n\nSee \\ref{eq:a}, \\textbf{bold}.\n\n' +
    '\\begin{gather}x\\\\y\\end{gather}\n';
  it('is mathematics in Word, OpenDocument and HTML', async () => {
    expect(part(fileOf(await ask(content, 'docx')), 'word/document.xml')).toMatch(
      /<m:oMath>[^]*bold[^]*<m:oMath>/,
    );
    const odt = unzipSync(Buffer.from(fileOf(await ask(content, 'odt')), 'base64'));
    expect(Object.keys(odt).filter((path) => /^Formula-.*content\.xml$/.test(path))).toHaveLength(
      2,
    );
    expect(textOf(await ask(content, 'html'))).toMatch(/id="eq:a"[^]*<mtable[^]*href="#eq:a"/);
  });
  it('is part of PDF, JATS and plain text', async () => {
    expect((await ask(content, 'pdf')).status).toBe(200);
    const jats = textOf(await ask(content, 'jats'));
    expect(jats).toContain('<mml:mtable');
    expect(faultsOf(jats)).toBe('');
    expect(textOf(await ask(content, 'plain'))).toMatch(/\\begin\{align\}[^]*bold[^]*gather/);
  });
  it('stays in LaTeX and Markdown, and what has no equivalent is a warning', async () => {
    for (const to of ['latex', 'markdown']) {
      expect(textOf(await ask(content, to))).toContain('See \\ref{eq:a}');
    }
    const { answer } = await ask('a\\vspace{2em} b', 'docx');
    expect(answer.warnings).toEqual(['LaTeX without equivalent is left out: \\vspace{2em}']);
  });
});

describe('Markdown as GitHub reads it', () => {
  const content =
    'Text\n~~~\ncode\n~~~\n\nText\n| a | b |\n|---|---|\n| `x` | 2 |\n\nhttps://example.org :tada:\n\n- [ ] to do\n- [x] done\n\n> [!NOTE]\n> Mind.\n';
  it('has fences and tables after paragraphs, addresses, emoji, task lists and alerts', async () => {
    const html = textOf(await ask(content, 'html', { from: 'gfm' }));
    expect(html).toContain('<pre><code>code');
    expect(html).toContain('<td><code>x</code></td>');
    expect(html).toContain('<a href="https://example.org">');
    expect(html).toContain('🎉');
    expect(html.match(/<input type="checkbox"/g)).toHaveLength(2);
    expect(html).toMatch(/class="note"[^]*Mind/);
  });
  it('has tables after paragraphs in pandoc’s dialect too', async () => {
    expect(textOf(await ask(content, 'html'))).toContain('<td><code>x</code></td>');
    const code = '```\na\n| b | c |\n|---|---|\n```\n';
    expect(textOf(await ask(code, 'gfm'))).toContain('a\n');
    expect(textOf(await ask('a | b\nc - d | e\n', 'html'))).not.toContain('<table');
  });
  it('is read from a file called README, and the answer says so', async () => {
    const read = async (name: string) =>
      (await upload(converter, new File([content], name), { to: 'html' })).answer.from;
    expect(await read('README.md')).toBe('gfm');
    expect(await read('readme.de.md')).toBe('gfm');
    expect(await read('notes.md')).toBe('markdown');
    const explicit = await upload(converter, new File([content], 'README.md'), {
      from: 'markdown',
      to: 'html',
    });
    expect(explicit.answer.from).toBe('markdown');
  });
});

describe('numbers and contents', () => {
  const content = '# One\n\n## Inner\n\n# Two {-}\n\n# Three\n\n[to](#inner)\n';
  it.each(['plain', 'rst', 'markdown', 'gfm', 'asciidoc', 'org', 'mediawiki'])(
    'number the headings in %s once',
    async (to) => {
      const options = { number_sections: true, toc: true };
      const text = textOf(await ask(content, to, { options }));
      const times = ['plain', 'markdown', 'gfm', 'asciidoc'].includes(to) ? 2 : 1;
      expect(text.match(/1\.1 Inner/g)).toHaveLength(times);
      expect(text.match(/2 Three/g)).toHaveLength(times);
      expect(text).not.toMatch(/\d Two/);
      const whole = textOf(await ask(content, to, { options: { ...options, standalone: true } }));
      expect(whole.match(/1\.1 Inner/g)).toHaveLength(times);
    },
  );
  it('are links to GitHub’s anchors in GitHub’s Markdown', async () => {
    const text = textOf(
      await ask(content, 'gfm', { options: { number_sections: true, toc: true } }),
    );
    expect(text).toContain('[1.1 Inner](#11-inner)');
    expect(text).toContain('[to](#11-inner)');
  });
  it('have no attributes in Markdown', async () => {
    const text = textOf(await ask(content, 'markdown', { options: { toc: true } }));
    expect(text).toMatch(/^- {1,3}\[One\]\(#one\)$/m);
    expect(text).not.toContain('toc-');
  });
});

describe('the title of a document without one', () => {
  const titleOf = async (content: string, filename?: string) => {
    const more = { options: { standalone: true }, ...(filename && { filename }) };
    const html = textOf(await ask(content, 'html', more));
    const epub = part(fileOf(await ask(content, 'epub', more)), 'EPUB/content.opf');
    return [/<title>(.*)<\/title>/.exec(html)?.[1], /<dc:title[^>]*>(.*)</.exec(epub)?.[1]];
  };
  it('is its first heading, or else the name of the file', async () => {
    expect(await titleOf('text\n\n## Of *bees*\n\n# B')).toEqual(['Of bees', 'Of bees']);
    expect(await titleOf('text', 'honey.md')).toEqual(['honey', 'honey']);
    expect(await titleOf('text')).toEqual(['Untitled', 'Untitled']);
    expect(await titleOf('---\ntitle: Wax\n---\n\n# B')).toEqual(['Wax', 'Wax']);
  });
});

describe('a manuscript in JATS', () => {
  const content = `---
title: On bees
author:
- given: Ada
  family: Green
  orcid: 0000-0002-1825-0097
  email: ada@example.org
  affiliation: {department: Wax, organization: Institute, city: Graz, country: Austria}
  corresponding: true
- name: Bob Blue
  corresponding: true
keywords: [honey, wax]
lang: de-AT
doi: https://doi.org/10.5555/bees.1
references:
- {id: frisch, type: book, title: Bienen, author: [{family: Frisch, given: K}], issued: 1927}
---

Says [@frisch].
`;
  it('has its metadata, and citations that point to the references', async () => {
    const reply = await ask(content, 'html', {
      options: { mode: 'manuscript', output_formats: ['html', 'latex', 'html'] },
    });
    const jats = reply.answer.jats!;
    expect(faultsOf(jats)).toBe('');
    expect(jats).toContain('xml:lang="de-AT"');
    expect(jats).toContain('<article-id pub-id-type="doi">10.5555/bees.1</article-id>');
    expect(jats).toMatch(/<kwd>honey<\/kwd>\s*<kwd>wax<\/kwd>/);
    expect(jats).toMatch(/<surname>Green<\/surname>\s*<given-names>Ada<\/given-names>/);
    expect(jats).toMatch(
      /<aff id="aff-1">\s*<institution content-type="dept">Wax<\/institution>,\s*<institution>Institute<\/institution>,\s*<city>Graz<\/city>,\s*<country>Austria<\/country>/,
    );
    expect(jats).toContain('<xref ref-type="aff" rid="aff-1"/>');
    expect(jats).toMatch(/<corresp id="cor-1">.*ada@example\.org/);
    expect(jats.match(/corresp="yes"/g)).toHaveLength(2);
    expect(jats).toMatch(/<xref [^>]*rid="ref-frisch" ref-type="bibr">/);
    expect(jats).toMatch(/<ref-list>\s*<title>References<\/title>/);
    expect(reply.answer.results.map(({ format }) => format)).toEqual(['html', 'html', 'latex']);
  });
});

describe('tracked changes and comments of a Word document', () => {
  /** A document with the word `old` deleted, `new` inserted, and a comment. */
  async function revised(): Promise<string> {
    const parts = unzipSync(Buffer.from(fileOf(await ask('PLACE', 'docx')), 'base64'));
    const edit = (path: string, change: (text: string) => string) => {
      parts[path] = Buffer.from(change(Buffer.from(parts[path]!).toString()));
    };
    const who = 'w:id="1" w:author="Ada" w:date="2026-01-01T00:00:00Z"';
    edit('word/document.xml', (text) =>
      text.replace(
        /<w:r>(?:(?!<w:r>)[^])*PLACE<\/w:t><\/w:r>/,
        `<w:commentRangeStart w:id="0"/><w:del ${who}><w:r><w:delText>old</w:delText></w:r></w:del><w:ins ${who}><w:r><w:t>new</w:t></w:r></w:ins><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>`,
      ),
    );
    edit('word/comments.xml', (text) =>
      text.replace(
        /<\/w:comments>|\/>\s*$/,
        (end) =>
          `${end.includes('/w:') ? '' : '>'}<w:comment w:id="0" w:author="Ada" w:date="2026-01-01T00:00:00Z"><w:p><w:r><w:t>Why?</w:t></w:r></w:p></w:comment></w:comments>`,
      ),
    );
    return Buffer.from(zipSync(parts)).toString('base64');
  }
  it('are accepted with a warning, or treated as the option says', async () => {
    const content = await revised();
    const read = (options: object) => ask(content, 'markdown', { from: 'docx', options });
    const reply = await read({});
    expect(textOf(reply)).toBe('new\n');
    expect(reply.answer.warnings.join('\n')).toMatch(
      /2 tracked changes are accepted[^]*1 comments are left out/,
    );
    const rejected = await read({ track_changes: 'reject' });
    expect(textOf(rejected)).toBe('old\n');
    expect(rejected.answer.warnings).toEqual([]);
    const kept = textOf(
      await ask(content, 'html', { from: 'docx', options: { track_changes: 'all' } }),
    );
    for (const word of ['old', 'new', 'Why?', 'Ada']) expect(kept).toContain(word);
  });
});

it('reads a number at the beginning of a table’s row in LaTeX', async () => {
  const table = '| code | meaning |\n|---|---|\n| 400 | malformed |\n| 12 | x |\n';
  const latex = textOf(await ask(table, 'latex'));
  expect(textOf(await ask(latex, 'gfm', { from: 'latex' }))).toMatch(/\| 400 +\| malformed/);
  const ruled =
    '\\begin{tabular}{ll}a & b\\\\ \\cmidrule(lr){1-2} 3 & 4\\\\ \\cline{1-2} 5 & 6\\\\ \\addlinespace 7 & 8\\end{tabular}';
  expect(textOf(await ask(ruled, 'plain', { from: 'latex' })).match(/\w+/g)).toEqual([
    'a',
    'b',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
  ]);
});

describe('warnings and errors', () => {
  it.each([
    ['markdown', 'docx', '![a](https://example.org/a.png)', /^pictures on the web are not fetched/],
    ['latex', 'html', '\\input{part}', /^part\.tex is included by the document, and not among/],
    ['latex', 'html', '\\important{some words}', /^LaTeX commands .* left out: \\important$/],
    ['markdown', 'html', '$\\nonsense{$', /^a formula stays LaTeX: /],
    ['markdown', 'docx', '---\nlang: xx\n---\n\na', /^words that the converter adds/],
    ['markdown', 'plain', '![a](b.png)', /^pictures are left out of plain text: 1$/],
    [
      'rst',
      'plain',
      '.. raw:: html\n\n   <p>words</p>',
      /^html markup without equivalent is left out/,
    ],
  ])('from %s to %s name the loss: %s', async (from, to, content, warning) => {
    const { warnings } = (await ask(content, to, { from })).answer;
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(warning);
    expect(warnings[0]).not.toMatch(/pandoc|stdin|rsvg|withBinaryFile|\.lua/i);
  });
  it.each([
    ['markdown', '---\nbibliography: refs.bib\n---\n\na @b', 'refs.bib'],
    ['rst', '.. csv-table:: x\n   :file: a.csv\n', 'a.csv'],
    ['asciidoc', 'include::b.adoc[]\n', 'b.adoc'],
  ])('of %s name a missing file', async (from, content, path) => {
    expect(await ask(content, 'html', { from })).toMatchObject({
      status: 422,
      message: `content: needs ${path}, which is not among the files`,
    });
  });
});

describe('an SVG picture', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="9" height="9"/></svg>';
  const files = { 'a.svg': Buffer.from(svg).toString('base64') };
  const content = 'One ![a](a.svg), two ![b](a.svg).';
  it('has a PNG beside it in Word', async () => {
    const reply = await ask(content, 'docx', { files });
    expect(reply.answer.warnings).toEqual([]);
    const file = fileOf(reply);
    const [, id, svgId] = /<a:blip r:embed="(\w+)">[^]*?svgBlip[^>]*r:embed="(\w+)"/.exec(
      part(file, 'word/document.xml'),
    )!;
    const relations = part(file, 'word/_rels/document.xml.rels');
    const target = (one: string) => new RegExp(`Id="${one}" Target="([^"]+)"`).exec(relations)![1];
    expect(target(svgId!)).toMatch(/\.svg$/);
    const picture = unzipSync(Buffer.from(file, 'base64'))[`word/${target(id!)}`]!;
    expect(Buffer.from(picture.subarray(1, 4)).toString()).toBe('PNG');
    expect(part(file, '[Content_Types].xml')).toContain(`/word/${target(id!)}"`);
  });
  it('has a PNG beside it in OpenDocument', async () => {
    const file = fileOf(await ask(content, 'odt', { files }));
    const images = part(file, 'content.xml').matchAll(
      /<draw:frame[^>]*>\s*<draw:image[^>]*href="(Pictures\/\d\.svg)"[^>]*\/><draw:image[^>]*href="(\1\.png)"/g,
    );
    const paths = Array.from(images, ([, , png]) => png!);
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(part(file, 'META-INF/manifest.xml')).toContain(`"${path}"`);
    expect(Buffer.from(file, 'base64').subarray(30, 38).toString()).toBe('mimetype');
  });
});

it('keeps the caption of a figure', async () => {
  const figure =
    '<figure><img src="a.png" alt="A bee"><figcaption>Of <b>honey</b></figcaption></figure>';
  for (const to of ['plain', 'markdown', 'gfm', 'rst', 'docx'] as const) {
    expect(await plain(figure, to, 'html'), to).toMatch(/Of \W*honey/);
  }
});

describe('additional formats', () => {
  it.each([
    ['csv', 'name,age\n"Green, Ada",12\n', 'name.csv'],
    ['tsv', 'name\tage\nGreen, Ada\t12\n', 'name.tsv'],
  ])('%s is a table', async (from, content, name) => {
    expect(textOf(await ask(content, 'gfm', { from }))).toMatch(/\| Green, Ada \| 12 +\|/);
    const reply = await upload(converter, new File([content], name), { to: 'html' });
    expect(textOf(reply)).toContain('<td>Green, Ada</td>');
  });
  it('reads the sheets of an Excel workbook as tables', async () => {
    const sheet =
      '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c></row></sheetData></worksheet>';
    const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const parts = {
      '[Content_Types].xml':
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
      '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
      'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${relations}"><sheets><sheet name="Hive" sheetId="1" r:id="r1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
      'xl/sharedStrings.xml':
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>honey</t></si><si><t>wax</t></si></sst>',
      'xl/worksheets/sheet1.xml': sheet,
    };
    const file = zipSync(
      Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, Buffer.from(text)])),
    );
    const reply = await upload(converter, new File([Buffer.from(file)], 'hive.xlsx'), {
      to: 'gfm',
    });
    expect(reply.answer.from).toBe('xlsx');
    expect(textOf(reply)).toMatch(/Hive[^]*honey[^]*wax/);
  });
  it.each(['rtf', 'pptx', 'ipynb', 'typst', 'asciidoc', 'mediawiki', 'org'] as const)(
    'are told by content or name: %s',
    async (format) => {
      const { binary, extensions } = documentFormats[format];
      const reply = await ask('# Bees\n\n**hum**', format);
      const content = binary ? Buffer.from(fileOf(reply), 'base64') : textOf(reply);
      const file = new File([content], binary ? 'unnamed' : `a.${extensions[0]}`);
      const read = await upload(converter, file, { to: 'plain' });
      expect(read.answer.from).toBe(format);
      expect(textOf(read)).toContain('hum');
    },
  );
  it('are written, even if a picture is missing', async () => {
    for (const to of ['pptx', 'ipynb', 'rtf']) {
      const { status, answer } = await ask('# A\n\n![b](b.png)', to);
      expect(status, to).toBe(200);
      expect(answer.warnings.join(' '), to).toContain('not among the files');
    }
  });
});
