import type { InputFormat, OutputFormat } from '../../../src/shared/document-formats.ts';
import type { Metadata } from '../../../src/shared/document-metadata.ts';
import type { Files } from './engine.ts';

export interface Options {
  toc: boolean;
  standalone: boolean;
  number_sections: boolean;
  highlight_style?: string | undefined;
}

export interface ConversionRequest {
  /** A PDF is read into `gfm` or `json` before. */
  from: Exclude<InputFormat, 'pdf'> | 'json';
  document: Uint8Array;
  files: Files;
  /** Formats without duplicates. For `pdf` the result is Typst source, with the pictures in `media`. */
  to: OutputFormat[];
  options: Options;
  /** The document's name, for a document that has neither title nor heading. */
  name: string;
  /** What becomes of a Word document's tracked changes and comments. */
  trackChanges: 'accept' | 'reject' | 'all';
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

/** Folder of the files that are added to the caller's files. */
export const ownFolder = '.own';
