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

export interface Order {
  /** The last two are what a PDF was read as. */
  from: Exclude<InputFormat, 'pdf'> | 'gfm' | 'json';
  document: Uint8Array;
  files: Files;
  /** Without repetition; `pdf` comes as Typst, with its pictures among the media. */
  to: OutputFormat[];
  options: Options;
  /** Whether pictures are wanted as files. */
  media: boolean;
  metadata: boolean;
}

export interface Converted {
  results: Partial<Record<OutputFormat, Uint8Array>>;
  media: Files;
  metadata?: Metadata;
  warnings: string[];
}

/** Folder of extracted pictures, and of what we put beside the caller's files. */
export const mediaFolder = 'media';
export const ownFolder = '.own';
const source = `${ownFolder}/source`;
const target = `${ownFolder}/target`;
const template = `${ownFolder}/template`;

/** Runs pandoc once. @param written file that is the output, if that is no text */
type Run = (job: PandocJob, written?: string) => Uint8Array;

/** Reads a document once and writes it in every format. Throws PandocError. */
export function convert(pandoc: Pandoc, order: Order): Converted {
  const { media, to } = order;
  const made: Converted = { results: {}, media: {}, warnings: [] };
  const run: Run = (job, written = '') => {
    const result = pandoc.convert(job);
    made.warnings.push(...result.warnings.flatMap(textOf));
    const { [written]: output = result.output, ...files } = result.files;
    Object.assign(made.media, files);
    return output;
  };
  const formulas = order.from === 'odt' ? takeFormulas(order.document) : undefined;
  const job = reading({ ...order, ...(formulas && { document: formulas.document }) });
  const steps = inSteps(order) || formulas !== undefined;
  // Pandoc's JSON has no room for the pictures that are in a file: they must come out with it.
  const early = steps && (media || isBinary(order.from));
  let read = steps
    ? parse(run, { ...job, options: { ...job.options, ...extraction(early) } })
    : undefined;
  if (read && formulas) {
    const input = new TextEncoder().encode(formulas.html);
    read = putFormulas(read, parse(run, { options: { from: 'html' }, input }));
  }
  if (read && order.metadata) made.metadata = describe(run, read, order);
  const files = { ...job.files, ...(early && made.media) };
  for (const format of to) {
    const source = read ? { options: { from: 'json' }, input: json(shapedFor(format, read)) } : job;
    const { options, files: own } = writing(format, order);
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

/** Whether the document must pass through our hands on its way from the reader to the writer. */
function inSteps({ from, to, metadata, document }: Order): boolean {
  if (to.length > 1 || metadata || to[0] === 'jats') return true;
  if (to[0] === 'markdown') return ['docx', 'odt', 'epub', 'html', 'latex', 'rst'].includes(from);
  const start = new TextDecoder().decode(document.subarray(0, 4096));
  // Authors of a YAML header that are more than a name.
  return from === 'markdown' && start.startsWith('---\n') && /^-? +name:/m.test(start);
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const parsed = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

const parse = (run: Run, job: PandocJob) =>
  parsed(run({ ...job, options: { ...job.options, to: 'json' } })) as Document;

function describe(run: Run, document: Document, { from, files }: Order): Metadata {
  const references = referencesIn(document.meta, files, (from, input) =>
    run({ options: { from, to: 'csljson' }, input }),
  );
  const { authors, ...metadata } = metadataOf(document.meta);
  return {
    ...metadata,
    // Pandoc reads the creators of an EPUB backwards.
    ...(authors && { authors: from === 'epub' ? authors.toReversed() : authors }),
    ...(references.length > 0 && { references }),
  };
}

const bibliography = /\.(bib|bibtex|biblatex|ris)$/i;

/** References of the document and of the bibliographies beside it, as CSL-JSON. */
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

/** Writes pictures as files, and text in the place of those that there are none of. */
const extraction = (wanted: boolean) => (wanted ? { 'extract-media': mediaFolder } : {});

/** Lists, headings and quotes need no empty line before them, as elsewhere today. */
const markdown =
  'markdown-blank_before_header-blank_before_blockquote+lists_without_preceding_blankline';

function reading({ from, document, files }: Order): PandocJob {
  if (from === 'plain') {
    const json = plainDocument(new TextDecoder().decode(document));
    return { options: { from: 'json' }, input: new TextEncoder().encode(json), files };
  }
  if (isBinary(from)) {
    return { options: { from, 'input-files': [source] }, files: { ...files, [source]: document } };
  }
  if (from === 'latex') {
    // Pandoc writes this and, in 3.10, loses the terms of the list when it reads it.
    const text = new TextDecoder().decode(document);
    const mended = text.replaceAll(/(\\begin\{description\}\s*)\\tightlist\b/g, '$1');
    return { options: { from }, input: new TextEncoder().encode(mended), files };
  }
  return { options: { from: from === 'markdown' ? markdown : from }, input: document, files };
}

/** Tables that more than pandoc can read, where the table allows it. */
const markdownOut = 'markdown-simple_tables-multiline_tables';
/**
 * Without what only pandoc writes: from other formats that would be a wealth of identifiers, classes
 * and sizes around every word. Quotation marks and dashes stay the characters that they are.
 */
const plainerMarkdown =
  `${markdownOut}-smart-raw_html-raw_attribute-native_divs-fenced_divs-native_spans` +
  '-bracketed_spans-header_attributes-link_attributes-inline_code_attributes-fenced_code_attributes';

/** Pandoc's name of a format, with the extensions that make the most of it. */
function writerOf(to: OutputFormat, from: Order['from']): string {
  switch (to) {
    case 'markdown':
      return from === 'markdown' ? markdownOut : plainerMarkdown;
    case 'jats':
      return 'jats_archiving+element_citations';
    case 'pdf':
      // Typst would look for the bibliography itself.
      return 'typst-citations';
    default:
      return to;
  }
}

function writing(to: OutputFormat, order: Order): { options: object; files: Files } {
  const { toc, standalone, number_sections, highlight_style } = order.options;
  // Colours in text are markup that means nothing without its style.
  const style = highlight_style ?? (isBinary(to) ? undefined : 'none');
  // JATS without its root would be no XML.
  const whole = standalone || isBinary(to) || to === 'jats';
  const own = to === 'pdf' ? pdfTemplate : whole ? '' : partTemplate(to, order);
  return {
    options: {
      to: writerOf(to, order.from),
      // A template is for whole documents only.
      standalone: whole || own !== '',
      wrap: 'preserve',
      'table-of-contents': toc,
      'number-sections': number_sections,
      'html-math-method': { method: 'mathml' },
      ...(style && { 'syntax-highlighting': style }),
      ...(own && { template }),
      ...(isBinary(to) && to !== 'pdf' && { 'output-file': target }),
      ...citing(to, order),
    },
    files: own ? { [template]: new TextEncoder().encode(own) } : {},
  };
}

const pdfTemplate = readFileSync(fileURLToPath(import.meta.resolve('../pdf/template.typ')), 'utf8');

/** The table of contents of a text that is no whole document. */
const contents: Partial<Record<OutputFormat, string>> = {
  markdown: '$table-of-contents$\n\n',
  html: '<nav id="TOC" role="doc-toc">\n$table-of-contents$\n</nav>\n',
  latex: '\\tableofcontents\n\n',
  rst: '.. contents::\n\n',
  plain: '$table-of-contents$\n\n',
};

/**
 * The title of a Word document in a text that is no whole document: it is text like any other there,
 * and would be missed.
 */
const title: Partial<Record<OutputFormat, string>> = {
  markdown: '$if(title)$# $title$\n\n$endif$$if(subtitle)$$subtitle$\n\n$endif$',
  html: '$if(title)$<h1 class="title">$title$</h1>\n$endif$$if(subtitle)$<p class="subtitle">$subtitle$</p>\n$endif$',
  latex: '$if(title)$\\section*{$title$}\n\n$endif$$if(subtitle)$$subtitle$\n\n$endif$',
  rst: '$if(titleblock)$$titleblock$\n\n$endif$',
  plain: '$if(title)$$title$\n\n$endif$$if(subtitle)$$subtitle$\n\n$endif$',
};

/** For a text that is no whole document but more than its body; empty for no more. */
function partTemplate(to: OutputFormat, { from, options }: Order): string {
  const before = ((from === 'docx' && title[to]) || '') + ((options.toc && contents[to]) || '');
  return before && `${before}$body$\n`;
}

/** Where there is a bibliography, citations become text; in Markdown they stay what they are. */
function citing(to: OutputFormat, { from, document, files }: Order): object {
  if (to === 'markdown') return {};
  const given = Object.keys(files).filter((path) => bibliography.test(path));
  const named = naming[from]?.test(new TextDecoder().decode(document));
  if (named) return { citeproc: true };
  return given.length > 0 ? { citeproc: true, bibliography: given } : {};
}

/** How a document names its bibliography, or holds it: in a block of metadata, or by a command. */
const naming: Partial<Record<Order['from'], RegExp>> = {
  markdown: /^---[^\S\n]*\n(?:(?!---|\.\.\.)[^\n]*\n)*?(?:bibliography|references)[^\S\n]*:/m,
  latex: /^[^%\n]*\\(?:bibliography|addbibresource)\s*[[{]/m,
};

/** What a reader should know; that a file was found, or that a page has no title, is none of it. */
function textOf(warning: unknown): string[] {
  const { type, verbosity, pretty } = warning as Record<string, string>;
  if (verbosity !== 'WARNING' || type === 'NoTitleElement' || !pretty) return [];
  return [inWords(pretty)];
}

/** Pandoc's words, without what is only our way of running it. */
export const inWords = (text: string): string =>
  text
    .replaceAll(/(?:at )?"?\/?(?:stdin|\.own\/source)"?/g, 'the document')
    .replaceAll('pandoc was compiled without HTTP support', 'addresses of the web are not fetched')
    .replace(/^ERROR: /, '')
    .trim();
