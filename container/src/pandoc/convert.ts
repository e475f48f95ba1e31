import { isBinary } from '../../../src/shared/document-formats.ts';
import type { Metadata } from '../../../src/shared/document-metadata.ts';
import { metadataOf } from '../metadata.ts';
import { apiVersion, type Document } from './ast.ts';
import type { Files, Pandoc, PandocJob } from './engine.ts';
import { putFormulas, takeFormulas } from './formulas.ts';
import { withJatsMetadata } from './jats.ts';
import { hasOwnPictures, reading } from './reading.ts';
import type { ConversionRequest, Converted } from './request.ts';
import { warningsIn } from './warnings.ts';
import { bibliography, target, writing } from './writing.ts';

/** Folder of extracted pictures. */
const mediaFolder = 'media';

/** Runs pandoc once. @param written path of the output file, for formats that are not text */
type Run = (job: PandocJob, written?: string) => Uint8Array;

/** Reads a document once and writes it in every requested format. Throws PandocError. */
export function convert(pandoc: Pandoc, request: ConversionRequest): Converted {
  const { from, media, to } = request;
  const made: Converted = { results: {}, media: {}, warnings: [] };
  const logged: unknown[] = [];
  const run: Run = (job, written = '') => {
    const result = pandoc.convert(job);
    logged.push(...result.warnings);
    const { [written]: output = result.output, ...files } = result.files;
    Object.assign(made.media, files);
    return output;
  };
  const formulas = from === 'odt' ? takeFormulas(request.document) : undefined;
  const job = reading({ ...request, ...(formulas && { document: formulas.document }) });
  // Reading and writing are separate runs if the syntax tree is needed between, or more than once.
  const steps = to.length > 1 || request.metadata || to[0] === 'jats' || formulas !== undefined;
  // Pandoc's JSON cannot contain the pictures of a file, so they are extracted while reading.
  const early = steps && (media || hasOwnPictures(request));
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
    const source = read
      ? {
          options: { from: 'json' },
          input: json(format === 'jats' ? withJatsMetadata(read) : read),
        }
      : job;
    const extracts = !early && (media || format === 'pdf');
    const { options, files: own } = writing(format, request, extracts);
    made.results[format] = run(
      {
        ...source,
        options: { ...source.options, ...options, ...extraction(extracts) },
        files: { ...files, ...own },
      },
      target,
    );
  }
  const stored = early && !media && !to.every(isBinary) ? Object.keys(made.media).length : 0;
  return { ...made, warnings: warningsIn(logged, { from, stored }) };
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
