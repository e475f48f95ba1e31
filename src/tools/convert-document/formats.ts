interface FileKind {
  /** What a file of it is called and served as. */
  extension: string;
  type: string;
}

/** Formats whose result is text, and comes inline. */
export const textFormats = {
  markdown: { extension: 'md', type: 'text/markdown' },
  html: { extension: 'html', type: 'text/html' },
  latex: { extension: 'tex', type: 'application/x-latex' },
  rst: { extension: 'rst', type: 'text/x-rst' },
  plain: { extension: 'txt', type: 'text/plain' },
  jats: { extension: 'xml', type: 'application/jats+xml' },
} satisfies Record<string, FileKind>;

/** Formats whose result is a file, and comes as a link. */
export const binaryFormats = {
  docx: {
    extension: 'docx',
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  },
  pdf: { extension: 'pdf', type: 'application/pdf' },
  epub: { extension: 'epub', type: 'application/epub+zip' },
  odt: { extension: 'odt', type: 'application/vnd.oasis.opendocument.text' },
} satisfies Record<string, FileKind>;

export const inputFormats = [
  'markdown',
  'html',
  'latex',
  'rst',
  'plain',
  'docx',
  'pdf',
  'epub',
  'odt',
] as const;
export const outputFormats = [
  'markdown',
  'html',
  'latex',
  'rst',
  'plain',
  'jats',
  'docx',
  'pdf',
  'epub',
  'odt',
] as const;

export type TextFormat = keyof typeof textFormats;
export type BinaryFormat = keyof typeof binaryFormats;
export type InputFormat = (typeof inputFormats)[number];
export type OutputFormat = (typeof outputFormats)[number];

export const isBinary = (format: string): format is BinaryFormat => format in binaryFormats;

export const kindOf = (format: OutputFormat): FileKind =>
  ({ ...textFormats, ...binaryFormats })[format];
