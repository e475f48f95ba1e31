/** Files by their path relative to the document, such as `img/plot.png`. */
export type Files = Record<string, Uint8Array>;

/** One run of pandoc. */
export interface PandocJob {
  /** Options of a defaults file (pandoc's manual, "Defaults files"). All paths refer to `files`. */
  options: Record<string, unknown>;
  /** The document, unless `options` names input files. */
  input?: Uint8Array;
  files?: Files;
}

interface PandocResult {
  output: Uint8Array;
  /** The written files: the output file if `options` names one, and extracted media. */
  files: Files;
  /** Warnings in pandoc's JSON. */
  warnings: unknown[];
}

/** Pandoc 3. */
export interface Pandoc {
  /** Runs pandoc. Throws PandocError when the document cannot be converted. */
  convert(job: PandocJob): PandocResult;
}

/** Pandoc's error message about a document that it cannot convert. */
export class PandocError extends Error {}
