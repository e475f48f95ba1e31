import { embedsPictures, isBinary } from '../../../src/shared/document-formats.ts';
import { plainDocument } from '../plain.ts';
import type { PandocJob } from './engine.ts';
import { ownFolder, type ConversionRequest } from './request.ts';

const source = `${ownFolder}/source`;

/**
 * Pandoc's Markdown, but as in CommonMark without the empty line before lists, headings and quotes, and with
 * GitHub's alerts and bare addresses.
 */
const markdown =
  'markdown-blank_before_header-blank_before_blockquote+lists_without_preceding_blankline' +
  '+alerts+autolink_bare_uris';

/** Formats whose documents may contain raw HTML that is part of the text. */
export const mayHaveHtml = (from: ConversionRequest['from']): boolean =>
  ['markdown', 'gfm', 'commonmark', 'ipynb'].includes(from);

/** Returns pandoc's options and input for reading a document. */
export function reading(request: ConversionRequest): PandocJob {
  const { from, document, files, trackChanges } = request;
  if (from === 'plain') {
    const json = plainDocument(new TextDecoder().decode(document));
    return { options: { from: 'json' }, input: new TextEncoder().encode(json), files };
  }
  if (isBinary(from)) {
    return {
      options: { from, 'input-files': [source], 'track-changes': trackChanges },
      files: { ...files, [source]: document },
    };
  }
  if (from === 'latex') return { options: { from }, input: mendedLatex(document), files };
  return { options: { from: readerOf(request) }, input: document, files };
}

/** Whether a file of the format contains pictures, which pandoc's JSON cannot contain. */
export const hasOwnPictures = ({ from }: ConversionRequest): boolean => embedsPictures(from);

function readerOf({ from, document }: ConversionRequest): string {
  if (from === 'markdown') return markdown;
  if (from !== 'gfm') return from;
  const start = new TextDecoder().decode(document.subarray(0, 200));
  // Other texts between rules are no YAML, and pandoc refuses them.
  return /^---\n[\w-]+:/.test(start) ? 'gfm+yaml_metadata_block' : 'gfm';
}

/**
 * Macros for commands in tables after which pandoc 3.10 takes a number for an argument, and drops it. They
 * are on the first line, so that line numbers in warnings stay the same.
 */
const tableMacros = ['endhead', 'endfirsthead', 'endfoot', 'endlastfoot']
  .map((name) => `\\newcommand{\\${name}}{}`)
  .concat('\\newcommand{\\addlinespace}[1][]{}', '\\newcommand{\\cline}[1]{}')
  .join('');

/** Works around faults of pandoc's LaTeX reader. */
function mendedLatex(document: Uint8Array): Uint8Array {
  const text = new TextDecoder()
    .decode(document)
    // Pandoc 3.10 itself writes \tightlist here, but drops the terms of the list when reading it.
    .replaceAll(/(\\begin\{description\}\s*)\\tightlist\b/g, '$1')
    // The columns of the line would become a part of the next cell.
    .replaceAll(/\\cmidrule(?:\[[^\]]*\])?(?:\([^)]*\))?\{[\d-]+\}/g, '');
  const hasTable = /\\begin\{(?:tabular|longtable|tabularx|tabulary|supertabular)/.test(text);
  return new TextEncoder().encode(hasTable ? tableMacros + text : text);
}
