import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { InputFormat, OutputFormat } from '../../../src/tools/convert-document/formats.ts';
import { isBinary } from '../../../src/tools/convert-document/formats.ts';
import type { Metadata } from '../../../src/tools/convert-document/metadata.ts';
import { metadataOf } from '../metadata.ts';
import { plainDocument } from '../plain.ts';
import { apiVersion, type Document } from './ast.ts';
import type { Files, Pandoc, PandocJob } from './engine.ts';
import { putFormulas, takeFormulas } from './formulas.ts';
import { shapedFor } from './shape.ts';

export interface Options {
  toc: boolean;
  standalone: boolean;
  number_sections: boolean;
  highlight_style?: string | undefined;
}

export interface ConversionRequest {
  /** A PDF is read into `gfm` or `json` before. */
  from: Exclude<InputFormat, 'pdf'> | 'gfm' | 'json';
  document: Uint8Array;
  files: Files;
  /** Formats without duplicates. For `pdf` the result is Typst source, with the pictures in `media`. */
  to: OutputFormat[];
  options: Options;
  /** Whether pictures are extracted to files. */
  media: boolean;
  metadata: boolean;
}

export interface Converted {
  results: Partial<Record<OutputFormat, Uint8Array>>;
  media: Files;
  metadata?: Metadata;
  warnings: string[];
}

/** Folder of extracted pictures. */
const mediaFolder = 'media';
/** Folder of the files that are added to the caller's files. */
export const ownFolder = '.own';
const source = `${ownFolder}/source`;
const target = `${ownFolder}/target`;
const template = `${ownFolder}/template`;

/** Runs pandoc once. @param written path of the output file, for formats that are not text */
type Run = (job: PandocJob, written?: string) => Uint8Array;

/** Reads a document once and writes it in every requested format. Throws PandocError. */
export function convert(pandoc: Pandoc, request: ConversionRequest): Converted {
  const { media, to } = request;
  const made: Converted = { results: {}, media: {}, warnings: [] };
  const run: Run = (job, written = '') => {
    const result = pandoc.convert(job);
    made.warnings.push(...result.warnings.flatMap(textOf));
    const { [written]: output = result.output, ...files } = result.files;
    Object.assign(made.media, files);
    return output;
  };
  const formulas = request.from === 'odt' ? takeFormulas(request.document) : undefined;
  const job = reading({ ...request, ...(formulas && { document: formulas.document }) });
  const steps = inSteps(request) || formulas !== undefined;
  // Pandoc's JSON cannot contain the pictures of a file, so they are extracted while reading.
  const early = steps && (media || isBinary(request.from));
  let read = steps
    ? parse(run, { ...job, options: { ...job.options, ...extraction(early) } })
    : undefined;
  if (read && formulas) {
    const input = new TextEncoder().encode(formulas.html);
    read = putFormulas(read, parse(run, { options: { from: 'html' }, input }));
  }
  if (read && request.metadata) made.metadata = describe(run, read, request);
  const files = { ...job.files, ...(early && made.media) };
  for (const format of to) {
    const source = read ? { options: { from: 'json' }, input: json(shapedFor(format, read)) } : job;
    const { options, files: own } = writing(format, request);
    const late = extraction(!early && (media || format === 'pdf'));
    made.results[format] = run(
      {
        ...source,
        options: { ...source.options, ...options, ...late },
        files: { ...files, ...own },
      },
      target,
    );
  }
  return { ...made, warnings: [...new Set(made.warnings)] };
}

/** Whether reading and writing are separate runs of pandoc, so that the syntax tree can be changed between. */
function inSteps({ from, to, metadata, document }: ConversionRequest): boolean {
  if (to.length > 1 || metadata || to[0] === 'jats') return true;
  if (to[0] === 'markdown') return ['docx', 'odt', 'epub', 'html', 'latex', 'rst'].includes(from);
  const start = new TextDecoder().decode(document.subarray(0, 4096));
  // A YAML header whose authors have fields, or which names a language. See `withNames` and `withSmartQuotes` in
  // shape.ts.
  const fields = to[0] === 'pdf' ? /^(?:-? +name|lang):/m : /^-? +name:/m;
  return from === 'markdown' && start.startsWith('---\n') && fields.test(start);
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const parsed = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

const parse = (run: Run, job: PandocJob) =>
  parsed(run({ ...job, options: { ...job.options, to: 'json' } })) as Document;

function describe(run: Run, document: Document, { from, files }: ConversionRequest): Metadata {
  const references = referencesIn(document.meta, files, (from, input) =>
    run({ options: { from, to: 'csljson' }, input }),
  );
  const { authors, ...metadata } = metadataOf(document.meta);
  return {
    ...metadata,
    // Pandoc reads the creators of an EPUB in reverse order.
    ...(authors && { authors: from === 'epub' ? authors.toReversed() : authors }),
    ...(references.length > 0 && { references }),
  };
}

const bibliography = /\.(bib|bibtex|biblatex|ris)$/i;

/** Returns the references of the document and of its bibliography files as CSL-JSON. */
function referencesIn(
  meta: Document['meta'],
  files: Files,
  toCsl: (from: string, input: Uint8Array) => Uint8Array,
): Record<string, unknown>[] {
  const own = {
    'pandoc-api-version': apiVersion,
    meta: { references: meta.references },
    blocks: [],
  };
  const sources: [from: string, input: Uint8Array][] = Object.entries(files)
    .filter(([path]) => bibliography.test(path))
    .map(([path, bytes]) => [/ris$/i.test(path) ? 'ris' : 'biblatex', bytes]);
  if (meta.references) sources.unshift(['json', json(own)]);
  return sources.flatMap(
    ([from, input]) => parsed(toCsl(from, input)) as Record<string, unknown>[],
  );
}

/** Option that extracts pictures to files. Pandoc replaces missing pictures by their descriptions. */
const extraction = (wanted: boolean) => (wanted ? { 'extract-media': mediaFolder } : {});

/** Pandoc's Markdown, but as in CommonMark without the empty line before lists, headings and quotes. */
const markdown =
  'markdown-blank_before_header-blank_before_blockquote+lists_without_preceding_blankline';

function reading({ from, document, files }: ConversionRequest): PandocJob {
  if (from === 'plain') {
    const json = plainDocument(new TextDecoder().decode(document));
    return { options: { from: 'json' }, input: new TextEncoder().encode(json), files };
  }
  if (isBinary(from)) {
    return { options: { from, 'input-files': [source] }, files: { ...files, [source]: document } };
  }
  if (from === 'latex') {
    // Pandoc 3.10 itself writes \tightlist here, but drops the terms of the list when reading it.
    const text = new TextDecoder().decode(document);
    const mended = text.replaceAll(/(\\begin\{description\}\s*)\\tightlist\b/g, '$1');
    return { options: { from }, input: new TextEncoder().encode(mended), files };
  }
  return { options: { from: from === 'markdown' ? markdown : from }, input: document, files };
}

/** Pandoc's Markdown with pipe tables where possible, which other programs can read. */
const markdownOut = 'markdown-simple_tables-multiline_tables';
/**
 * Markdown without pandoc's own syntax: converting from other formats would add identifiers, classes and
 * sizes to most elements. Quotation marks and dashes keep their Unicode characters.
 */
const plainerMarkdown =
  `${markdownOut}-smart-raw_html-raw_attribute-native_divs-fenced_divs-native_spans` +
  '-bracketed_spans-header_attributes-link_attributes-inline_code_attributes-fenced_code_attributes';

/** Returns pandoc's name of an output format, with extensions. */
function writerOf(to: OutputFormat, from: ConversionRequest['from']): string {
  switch (to) {
    case 'markdown':
      return from === 'markdown' ? markdownOut : plainerMarkdown;
    case 'jats':
      return 'jats_archiving+element_citations';
    case 'pdf':
      // Citations are resolved by pandoc. Otherwise Typst would read the bibliography itself.
      // With `smart` the writer replaces quotation marks of other languages by English ones.
      return 'typst-citations-smart';
    default:
      return to;
  }
}

function writing(to: OutputFormat, request: ConversionRequest): { options: object; files: Files } {
  const { toc, standalone, number_sections, highlight_style } = request.options;
  // In text formats highlighted code is markup, which is useless without its style sheet.
  const style = highlight_style ?? (isBinary(to) ? undefined : 'none');
  // A fragment of JATS has no root element and would not be XML.
  const whole = standalone || isBinary(to) || to === 'jats';
  const own = to === 'pdf' ? pdfTemplate : whole ? '' : partTemplate(to, request);
  return {
    options: {
      to: writerOf(to, request.from),
      // Pandoc applies a template to standalone documents only.
      standalone: whole || own !== '',
      wrap: 'preserve',
      'table-of-contents': toc,
      'number-sections': number_sections,
      'html-math-method': { method: 'mathml' },
      // Otherwise a long line in a pipe table would make the widths of its columns those of its rows of hyphens.
      ...(to === 'pdf' && { columns: 1_000_000 }),
      ...(style && { 'syntax-highlighting': style }),
      ...(own && { template }),
      ...(isBinary(to) && to !== 'pdf' && { 'output-file': target }),
      ...citing(to, request),
    },
    files: own ? { [template]: new TextEncoder().encode(own) } : {},
  };
}

const pdfTemplate = readFileSync(fileURLToPath(import.meta.resolve('../pdf/template.typ')), 'utf8');

/** Templates of the table of contents in a fragment, by output format. */
const contents: Partial<Record<OutputFormat, string>> = {
  markdown: '$table-of-contents$\n\n',
  html: '<nav id="TOC" role="doc-toc">\n$table-of-contents$\n</nav>\n',
  latex: '\\tableofcontents\n\n',
  rst: '.. contents::\n\n',
  plain: '$table-of-contents$\n\n',
};

/**
 * Templates of a Word document's title in a fragment, by output format. In Word the title is part of the
 * text, so a fragment without the title would be incomplete.
 */
const title: Partial<Record<OutputFormat, string>> = {
  markdown: '$if(title)$# $title$\n\n$endif$$if(subtitle)$$subtitle$\n\n$endif$',
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

/** Options that turn citations into text if there is a bibliography. Markdown keeps its citations. */
function citing(to: OutputFormat, { from, document, files }: ConversionRequest): object {
  if (to === 'markdown') return {};
  const given = Object.keys(files).filter((path) => bibliography.test(path));
  const named = naming[from]?.test(new TextDecoder().decode(document));
  if (named) return { citeproc: true };
  return given.length > 0 ? { citeproc: true, bibliography: given } : {};
}

/** Matches a document that names or contains its bibliography: in its YAML metadata, or by a LaTeX command. */
const naming: Partial<Record<ConversionRequest['from'], RegExp>> = {
  markdown: /^---[^\S\n]*\n(?:(?!---|\.\.\.)[^\n]*\n)*?(?:bibliography|references)[^\S\n]*:/m,
  latex: /^[^%\n]*\\(?:bibliography|addbibresource)\s*[[{]/m,
};

/** Returns the text of a warning. Drops information messages and the warning about a missing title. */
function textOf(warning: unknown): string[] {
  const { type, verbosity, pretty } = warning as Record<string, string>;
  if (verbosity !== 'WARNING' || type === 'NoTitleElement' || !pretty) return [];
  return [inWords(pretty)];
}

/** Removes file names and other details of how pandoc is run from its messages. */
export const inWords = (text: string): string =>
  text
    .replaceAll(/(?:at )?"?\/?(?:stdin|\.own\/source)"?/g, 'the document')
    .replaceAll('pandoc was compiled without HTTP support', 'addresses of the web are not fetched')
    .replace(/^ERROR: /, '')
    .trim();
