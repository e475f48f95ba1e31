/** A document format that the converter reads, writes, or both. */
interface DocumentFormat {
  /** The name for readers of the documentation. */
  title: string;
  type: string;
  /** File extensions. Results have the first one; all of them identify an uploaded file. */
  extensions: readonly string[];
  reads: boolean;
  writes: boolean;
  /** A binary result comes as a link, a text inline. Binary input in JSON is base64. */
  binary: boolean;
  /** Whether a file of the format contains its pictures. */
  embedsPictures: boolean;
}

const office = 'application/vnd.openxmlformats-officedocument';
const text = { reads: true, writes: true, binary: false, embedsPictures: false } as const;
const binary = { reads: true, writes: true, binary: true, embedsPictures: true } as const;

/** Every document format. The first ten are those of the specification; the others are additions. */
export const documentFormats = {
  markdown: {
    ...text,
    title: 'Markdown in pandoc’s dialect',
    type: 'text/markdown',
    extensions: ['md', 'markdown'],
  },
  html: { ...text, title: 'HTML', type: 'text/html', extensions: ['html', 'htm', 'xhtml'] },
  latex: { ...text, title: 'LaTeX', type: 'application/x-latex', extensions: ['tex', 'latex'] },
  rst: { ...text, title: 'reStructuredText', type: 'text/x-rst', extensions: ['rst', 'rest'] },
  plain: { ...text, title: 'plain text', type: 'text/plain', extensions: ['txt', 'text'] },
  jats: {
    ...text,
    title: 'JATS (Archiving 1.2)',
    type: 'application/jats+xml',
    extensions: ['xml'],
    reads: false,
  },
  docx: {
    ...binary,
    title: 'Word',
    type: `${office}.wordprocessingml.document`,
    extensions: ['docx'],
  },
  pdf: { ...binary, title: 'PDF', type: 'application/pdf', extensions: ['pdf'] },
  epub: { ...binary, title: 'EPUB', type: 'application/epub+zip', extensions: ['epub'] },
  odt: {
    ...binary,
    title: 'OpenDocument text',
    type: 'application/vnd.oasis.opendocument.text',
    extensions: ['odt'],
  },
  gfm: { ...text, title: 'GitHub’s Markdown', type: 'text/markdown', extensions: ['md'] },
  commonmark: { ...text, title: 'CommonMark', type: 'text/markdown', extensions: ['md'] },
  asciidoc: {
    ...text,
    title: 'AsciiDoc',
    type: 'text/asciidoc',
    extensions: ['adoc', 'asciidoc', 'asc'],
  },
  mediawiki: {
    ...text,
    title: 'MediaWiki’s markup',
    type: 'text/x-mediawiki',
    extensions: ['wiki', 'mediawiki'],
  },
  org: { ...text, title: 'Org mode', type: 'text/org', extensions: ['org'] },
  typst: { ...text, title: 'Typst', type: 'text/x-typst', extensions: ['typ'] },
  ipynb: {
    ...text,
    title: 'Jupyter notebook',
    type: 'application/x-ipynb+json',
    extensions: ['ipynb'],
    embedsPictures: true,
  },
  rtf: { ...binary, title: 'Rich Text Format', type: 'application/rtf', extensions: ['rtf'] },
  pptx: {
    ...binary,
    title: 'PowerPoint',
    type: `${office}.presentationml.presentation`,
    extensions: ['pptx'],
  },
  xlsx: {
    ...binary,
    title: 'Excel, as tables',
    type: `${office}.spreadsheetml.sheet`,
    extensions: ['xlsx'],
    writes: false,
  },
  csv: { ...text, title: 'CSV, as a table', type: 'text/csv', extensions: ['csv'], writes: false },
  tsv: {
    ...text,
    title: 'TSV, as a table',
    type: 'text/tab-separated-values',
    extensions: ['tsv'],
    writes: false,
  },
} as const satisfies Record<string, DocumentFormat>;

type Formats = typeof documentFormats;
type Format = keyof Formats;
type FormatWith<Trait extends Partial<DocumentFormat>> = {
  [Name in Format]: Formats[Name] extends Trait ? Name : never;
}[Format];

export type InputFormat = FormatWith<{ reads: true }>;
export type OutputFormat = FormatWith<{ writes: true }>;

const all = Object.keys(documentFormats) as Format[];
export const inputFormats = all.filter((name) => documentFormats[name].reads) as InputFormat[];
export const outputFormats = all.filter((name) => documentFormats[name].writes) as OutputFormat[];

/** Returns a format's properties; undefined for a name that is no format. */
const propertiesOf = (name: string): DocumentFormat | undefined =>
  (documentFormats as Partial<Record<string, DocumentFormat>>)[name];

export const isBinary = (name: string): boolean => propertiesOf(name)?.binary ?? false;
export const embedsPictures = (name: string): boolean =>
  propertiesOf(name)?.embedsPictures ?? false;

/** Returns the input format whose files have an extension. The first format wins. */
export const formatWithExtension = (extension: string): InputFormat | undefined =>
  inputFormats.find((name) =>
    (documentFormats[name].extensions as readonly string[]).includes(extension),
  );
