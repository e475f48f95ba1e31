import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  embedsPictures,
  isBinary,
  type OutputFormat,
} from '../../../src/shared/document-formats.ts';
import type { Files } from './engine.ts';
import { mayHaveHtml } from './reading.ts';
import { ownFolder, type ConversionRequest } from './request.ts';

const template = `${ownFolder}/template`;
/** Path of the output file, for formats that are not text. */
export const target = `${ownFolder}/target`;

/** Pandoc's Markdown with pipe tables where possible, which other programs can read. */
const markdownOut = 'markdown-simple_tables-multiline_tables';
/** Markdown without pandoc's own syntax, but with HTML. */
const commonMarkdown =
  `${markdownOut}-smart-raw_attribute-native_divs-fenced_divs-native_spans` +
  '-bracketed_spans-header_attributes-link_attributes-inline_code_attributes-fenced_code_attributes';
/**
 * Converting from formats other than Markdown would add identifiers, classes and sizes to most elements.
 * Quotation marks and dashes keep their Unicode characters.
 */
const plainerMarkdown = `${commonMarkdown}-raw_html`;

/** Matches raw markup of one format, such as `<w:br/>`{=openxml}. */
const rawAttribute = /\{=\w+\}/;

/** Returns pandoc's name of an output format, with extensions. */
function writerOf(to: OutputFormat, { from, document }: ConversionRequest): string {
  switch (to) {
    case 'markdown':
      if (from !== 'markdown') return mayHaveHtml(from) ? commonMarkdown : plainerMarkdown;
      // With the extension, pandoc writes HTML and LaTeX in a form that only pandoc reads.
      return rawAttribute.test(new TextDecoder().decode(document))
        ? markdownOut
        : `${markdownOut}-raw_attribute`;
    case 'jats':
      return 'jats_archiving+element_citations';
    case 'pdf':
      // Citations are resolved by pandoc. Otherwise Typst would read the bibliography itself. With `smart` the
      // writer replaces quotation marks of other languages by English ones.
      return 'typst-citations-smart';
    case 'typst':
      return 'typst-citations';
    default:
      return to;
  }
}

/** Output formats whose writers number headings themselves. */
const numbering: ReadonlySet<OutputFormat> = new Set([
  'html',
  'latex',
  'jats',
  'docx',
  'epub',
  'pdf',
  'typst',
]);
/** Output formats with the contents as a list, because pandoc's own contents are for pandoc only. */
const listing: ReadonlySet<OutputFormat> = new Set([
  'markdown',
  'gfm',
  'commonmark',
  'ipynb',
  'asciidoc',
]);
/** Output formats in which raw HTML stays as it is. */
const htmlTargets: ReadonlySet<OutputFormat> = new Set([
  'html',
  'markdown',
  'gfm',
  'commonmark',
  'ipynb',
]);

/**
 * Returns pandoc's options and additional files for writing a format.
 *
 * @param extracts whether pictures are extracted in this run
 */
export function writing(
  to: OutputFormat,
  request: ConversionRequest,
  extracts: boolean,
): { options: object; files: Files } {
  const { toc, standalone, number_sections, highlight_style } = request.options;
  // In text formats highlighted code is markup, which is useless without its style sheet.
  const style = highlight_style ?? (isBinary(to) ? undefined : 'none');
  // A fragment of JATS has no root element and would not be XML.
  const whole = standalone || isBinary(to) || to === 'jats';
  const own = templates[to] ?? (whole ? '' : partTemplate(to, request));
  const filters = filtersFor(to, request, whole, extracts);
  const lua = filters.filter((one) => typeof one === 'string');
  return {
    options: {
      to: writerOf(to, request),
      // Pandoc applies a template to standalone documents only.
      standalone: whole || own !== '',
      wrap: 'preserve',
      'table-of-contents': toc && !listing.has(to),
      'number-sections': number_sections && numbering.has(to),
      'html-math-method': { method: 'mathml' },
      // Otherwise a long line in a pipe table would make the widths of its columns those of its rows of hyphens.
      ...(to === 'pdf' && { columns: 1_000_000 }),
      ...(style && { 'syntax-highlighting': style }),
      ...(own && { template }),
      ...(isBinary(to) && to !== 'pdf' && { 'output-file': target }),
      ...bibliographies(to, request),
      filters: filters.map((one) => (typeof one === 'string' ? pathOf(one) : one)),
      variables: { 'file-name': request.name },
    },
    files: {
      ...(own && { [template]: new TextEncoder().encode(own) }),
      ...Object.fromEntries(lua.map((name) => [pathOf(name), filterFile(name)])),
    },
  };
}

/** Returns the Lua filters, by name, and pandoc's own filter for citations, in their order. */
function filtersFor(
  to: OutputFormat,
  request: ConversionRequest,
  whole: boolean,
  extracts: boolean,
): (string | object)[] {
  const { from, options } = request;
  const has = contentOf(request);
  const isMarkdown = ['markdown', 'gfm', 'commonmark'].includes(to);
  const writesOwnAnchors = isMarkdown
    ? !(to === 'markdown' && from === 'markdown')
    : to === 'ipynb';
  const keepsTex = to === 'latex' || (to === 'markdown' && from === 'markdown');
  const filters: [wanted: boolean, filter: string | object][] = [
    [has.table, 'tables'],
    [has.html && !htmlTargets.has(to), 'html'],
    [has.tex && !keepsTex, 'tex'],
    [to === 'jats', 'jats'],
    [to === 'markdown', 'widths'],
    [to === 'plain' || (to === 'markdown' && from !== 'markdown'), 'figures'],
    [isMarkdown && to !== 'markdown' && !mayHaveHtml(from), 'unwrapped'],
    [has.authors && to !== 'jats', 'names'],
    [to === 'pdf', 'quotes'],
    [citing(to, request), { type: 'citeproc' }],
    [has.tex && to !== 'latex' && to !== 'markdown', 'citations'],
    [options.number_sections && !numbering.has(to), 'numbers'],
    [writesOwnAnchors, 'anchors'],
    [options.toc && listing.has(to), 'contents'],
    [whole && (to === 'html' || to === 'epub'), 'title'],
    [(extracts && has.html) || to === 'pptx' || to === 'ipynb', 'media'],
    [
      to === 'plain' || to === 'pptx' || (embedsPictures(from) && !isBinary(to) && !request.media),
      'pictures',
    ],
  ];
  return filters.filter(([wanted]) => wanted).map(([, filter]) => filter);
}

/** Tells which filters a document may need. A filter takes time even if it changes nothing. */
function contentOf({ from, document }: ConversionRequest) {
  const isMarkdown = mayHaveHtml(from);
  const text = isMarkdown ? new TextDecoder().decode(document) : '';
  return {
    html: from === 'ipynb' || (isMarkdown && text.includes('<')),
    tex: from === 'latex' || from === 'ipynb' || (isMarkdown && /\\[A-Za-z]/.test(text)),
    /** Whether a line may be the delimiter row of a table. */
    table:
      (from === 'markdown' || from === 'gfm') &&
      text.includes('|') &&
      /^[ >\t]*[|:-][ \t|:-]*$/m.test(text),
    authors: isMarkdown && /^author/m.test(text),
  };
}

const pathOf = (filter: string) => `${ownFolder}/${filter}.lua`;

const read = (path: string) => readFileSync(fileURLToPath(import.meta.resolve(path)));
const filterFiles = new Map<string, Uint8Array>();

function filterFile(name: string): Uint8Array {
  const file = filterFiles.get(name) ?? read(`./filters/${name}.lua`);
  filterFiles.set(name, file);
  return file;
}

/** Templates of whole documents that differ from pandoc's. */
const templates: Partial<Record<OutputFormat, string>> = {
  pdf: read('../pdf/template.typ').toString(),
  jats: read('./jats.template').toString(),
};

/** Templates of the table of contents in a fragment, by output format. */
const contents: Partial<Record<OutputFormat, string>> = {
  html: '<nav id="TOC" role="doc-toc">\n$table-of-contents$\n</nav>\n',
  latex: '\\tableofcontents\n\n',
  rst: '.. contents::\n\n',
  plain: '$table-of-contents$\n\n',
  mediawiki: '__TOC__\n\n',
  org: '#+TOC: headlines 3\n\n',
  typst: '#outline()\n\n',
};

const markdownTitle = '$if(title)$# $title$\n\n$endif$$if(subtitle)$$subtitle$\n\n$endif$';
/**
 * Templates of a Word document's title in a fragment, by output format. In Word the title is part of the
 * text, so a fragment without the title would be incomplete.
 */
const title: Partial<Record<OutputFormat, string>> = {
  markdown: markdownTitle,
  gfm: markdownTitle,
  commonmark: markdownTitle,
  html: '$if(title)$<h1 class="title">$title$</h1>\n$endif$$if(subtitle)$<p class="subtitle">$subtitle$</p>\n$endif$',
  latex: '$if(title)$\\section*{$title$}\n\n$endif$$if(subtitle)$$subtitle$\n\n$endif$',
  rst: '$if(titleblock)$$titleblock$\n\n$endif$',
  plain: '$if(title)$$title$\n\n$endif$$if(subtitle)$$subtitle$\n\n$endif$',
};

/** Returns the template of a fragment with a title or a table of contents; empty if it has neither. */
function partTemplate(to: OutputFormat, { from, options }: ConversionRequest): string {
  const before = ((from === 'docx' && title[to]) || '') + ((options.toc && contents[to]) || '');
  return before && `${before}$body$\n`;
}

/** Matches the name of a bibliography file. */
export const bibliography = /\.(bib|bibtex|biblatex|ris)$/i;

/** Whether citations become text: if there is a bibliography. Markdown keeps its citations. */
function citing(to: OutputFormat, { from, document, files }: ConversionRequest): boolean {
  if (to === 'markdown') return false;
  const named = naming[from]?.test(new TextDecoder().decode(document));
  return named || Object.keys(files).some((path) => bibliography.test(path));
}

/** Returns the option for bibliography files that the document does not name. */
function bibliographies(to: OutputFormat, { from, document, files }: ConversionRequest): object {
  if (to === 'markdown') return {};
  const given = Object.keys(files).filter((path) => bibliography.test(path));
  const named = naming[from]?.test(new TextDecoder().decode(document));
  return given.length > 0 && !named ? { bibliography: given } : {};
}

/** Matches a document that names or contains its bibliography: in its YAML metadata, or by a LaTeX command. */
const naming: Partial<Record<ConversionRequest['from'], RegExp>> = {
  markdown: /^---[^\S\n]*\n(?:(?!---|\.\.\.)[^\n]*\n)*?(?:bibliography|references)[^\S\n]*:/m,
  latex: /^[^%\n]*\\(?:bibliography|addbibresource)\s*[[{]/m,
};
