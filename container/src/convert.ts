import mime from 'mime';
import type { z } from 'zod';
import type { ConversionAnswer } from '../../src/shared/conversion.ts';
import { invalidInput, tooLarge } from '../../src/errors.ts';
import { documentFormats, isBinary, type OutputFormat } from '../../src/shared/document-formats.ts';
import type { convertDocument } from '../../src/tools/convert-document/index.ts';
import type { Metadata } from '../../src/shared/document-metadata.ts';
import { stem } from '../../src/tools/filename.ts';
import { MiB } from '../../src/tools/tool.ts';
import type { Engines } from './engines.ts';
import type { Client } from './pool.ts';
import type { Files } from './pandoc/engine.ts';
import { ownFolder, type Converted, type ConversionRequest } from './pandoc/request.ts';
import { reserved } from './pandoc/wasm.ts';
import { contentOf, propertiesOf, revisionWarnings } from './source.ts';
import { withPngPictures } from './svg.ts';

type Input = z.output<typeof convertDocument.input>;

export interface Finished {
  answer: ConversionAnswer;
  /** The contents of `answer.files`, in the same order. */
  files: Uint8Array[];
}

/** Largest text of a result in bytes. The Worker holds the text in memory. */
const maxTextBytes = 10 * MiB;

const asPng = { output_format: 'png', quality: 100, max_width: 0, strip_metadata: true } as const;

/** Converts a document by the input of `convert-document`. Throws ServiceError. */
export async function convertWith(
  engines: Engines,
  input: Input,
  client: Client,
): Promise<Finished> {
  const { options, to } = input;
  const manuscript = options.mode === 'manuscript';
  const wanted = manuscript ? [to, ...new Set(options.output_formats)] : [to];
  const formats = new Set([...wanted, ...(manuscript ? (['jats', 'markdown'] as const) : [])]);
  const { metadata, warnings, ...source } = await sourceOf(engines, input, client);
  const request: ConversionRequest = {
    ...source,
    to: [...formats],
    options: { ...options, highlight_style: options.highlight_stylex ?? options.highlight_style },
    name: stem(input.filename, 'Untitled'),
    trackChanges: options.track_changes ?? 'accept',
    media: options.extract_media,
    metadata: options.structured_metadata || manuscript,
  };
  const made = await engines.pandoc(request, client);
  warnings.push(...made.warnings);
  if (made.results.pdf) {
    const pdf = await engines.writePdf(
      {
        source: new TextDecoder().decode(made.results.pdf),
        pictures: { ...source.files, ...made.media },
        page: options.page,
        standard: options.pdf_standard,
      },
      client,
    );
    made.results.pdf = pdf.bytes;
    warnings.push(...pdf.warnings);
  }
  for (const format of ['docx', 'odt'] as const) {
    const written = made.results[format];
    if (written) {
      made.results[format] = await withPngPictures(format, written, async (svg) => {
        const { bytes } = await engines.optimise(svg, asPng, client);
        return bytes;
      });
    }
  }
  return finished(input, wanted, {
    ...made,
    media: request.media ? made.media : {},
    ...(request.metadata && { metadata: { ...metadata, ...made.metadata } }),
    warnings,
  });
}

interface Source extends Pick<ConversionRequest, 'from' | 'document' | 'files'> {
  /** Properties that the file has apart from its text. */
  metadata: Metadata;
  warnings: string[];
}

async function sourceOf(engines: Engines, input: Input, client: Client): Promise<Source> {
  const { from } = input;
  const files = assetsOf(input.files);
  const document = contentOf(input);
  if (from !== 'pdf') {
    const unseen = from === 'docx' && !input.options.track_changes;
    return {
      from,
      document,
      files,
      metadata: propertiesOf(from, document),
      warnings: unseen ? revisionWarnings(document) : [],
    };
  }
  const { pictures, ...read } = await engines.readPdf(document, client);
  const count = Object.keys(pictures).length;
  const lost = count > 0 && !isBinary(input.to) && !input.options.extract_media;
  return {
    from: read.from,
    document: new TextEncoder().encode(read.document),
    files: { ...files, ...pictures },
    metadata: read.metadata,
    warnings: [
      ...read.warnings,
      ...(lost ? [`the PDF has ${count} pictures; extract_media gives them`] : []),
    ],
  };
}

/** Returns the caller's files by normalized relative paths. Throws 422 for a path that is not allowed. */
function assetsOf(files: Input['files'] = {}): Files {
  return Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => {
      const parts = name.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
      if (parts.length === 0 || parts.includes('..') || name.includes('\0')) {
        throw invalidInput(`files.${name}`, 'must be a path below the document, such as img/a.png');
      }
      if (parts[0] === ownFolder || reserved.includes(parts[0]!)) {
        throw invalidInput(`files.${name}`, 'has a reserved name; choose another one');
      }
      return [parts.join('/'), bytes];
    }),
  );
}

/** Assembles the answer. Throws 413 when the results have too much text. */
function finished(input: Input, wanted: OutputFormat[], made: Converted): Finished {
  const files: Uint8Array[] = [];
  const names: ConversionAnswer['files'] = [];
  const add = (name: string, type: string, bytes: Uint8Array) => {
    names.push({ name, type });
    return files.push(bytes) - 1;
  };
  let text = 0;
  const textOf = (bytes: Uint8Array) => {
    text += bytes.length;
    if (text > maxTextBytes) {
      throw tooLarge(
        'the result has more than 10 MB of text; choose a binary format such as docx or pdf',
      );
    }
    return new TextDecoder().decode(bytes);
  };
  const fileOf = (format: OutputFormat, bytes: Uint8Array) => {
    const { extensions, type } = documentFormats[format];
    const name = `${stem(input.filename, 'document')}.${extensions[0]}`;
    const known = names.findIndex((one) => one.name === name && one.type === type);
    return known >= 0 ? known : add(name, type, bytes);
  };
  const results = wanted.map((format) => {
    const bytes = made.results[format]!;
    const common = { format, size_bytes: bytes.length };
    return isBinary(format)
      ? { ...common, file: fileOf(format, bytes) }
      : { ...common, output: textOf(bytes) };
  });
  const media = Object.entries(made.media).map(([path, bytes]) => ({
    path,
    file: add(path.split('/').at(-1)!, mime.getType(path) ?? 'application/octet-stream', bytes),
  }));
  const { jats, markdown } = made.results;
  const manuscript = input.options.mode === 'manuscript';
  const answer = {
    from: input.from,
    results,
    files: names,
    media,
    warnings: made.warnings,
    ...(made.metadata && { metadata: made.metadata }),
    ...(manuscript && { jats: textOf(jats!), markdown: textOf(markdown!) }),
  };
  return { answer, files };
}
