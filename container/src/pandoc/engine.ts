/** Files by path, relative to where the conversion runs: `img/plot.png`. */
export type Files = Record<string, Uint8Array>;

/** One run of pandoc. */
export interface PandocJob {
  /** As in a defaults file (pandoc's manual, "Defaults files"); all paths are of `files`. */
  options: Record<string, unknown>;
  /** The document, unless `options` names input files. */
  input?: Uint8Array;
  files?: Files;
}

export interface PandocResult {
  output: Uint8Array;
  /** What was written: the output file if `options` names one, and extracted media. */
  files: Files;
  /** As pandoc has them. */
  warnings: unknown[];
}

/** Pandoc 3, however it is run. */
export interface Pandoc {
  /** Throws PandocError when the document cannot be converted. */
  convert(job: PandocJob): PandocResult;
}

/** What pandoc says of a document that it cannot convert. */
export class PandocError extends Error {}
