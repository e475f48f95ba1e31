import { z } from 'zod';
import type { Context } from '../../context.ts';
import { documentFormats, inputFormats, outputFormats } from '../../shared/document-formats.ts';
import { metadata } from '../../shared/document-metadata.ts';
import type { Link } from '../../storage/storage.ts';
import { MiB, defineTool, fileContent, price } from '../tool.ts';
import type { UnreadBody } from '../unread-body.ts';
import { page, pdfStandards } from './page.ts';

const limit = 50 * MiB;

/** As pandoc knows them; `none` leaves code uncoloured. */
export const highlightStyles = [
  'pygments',
  'tango',
  'espresso',
  'zenburn',
  'kate',
  'monochrome',
  'breezedark',
  'haddock',
  'none',
] as const;

const options = z.object({
  toc: z.boolean().default(false).describe('Adds a table of contents at the beginning'),
  standalone: z
    .boolean()
    .default(false)
    .describe(
      'Returns a complete document with its header; without it text formats return the body only',
    ),
  number_sections: z.boolean().default(false),
  highlight_stylex: z.enum(highlightStyles).optional().describe('Style of code highlighting'),
  highlight_style: z.enum(highlightStyles).optional().describe('Alias of `highlight_stylex`'),
  extract_media: z
    .boolean()
    .default(false)
    .describe('Returns pictures as separate files in `media`'),
  track_changes: z
    .enum(['accept', 'reject', 'all'])
    .optional()
    .describe(
      'Of a Word document: accepts or rejects its tracked changes, or keeps them and its comments; without it they are accepted, with a warning',
    ),
  structured_metadata: z.boolean().default(false),
  mode: z.enum(['manuscript']).optional(),
  output_formats: z
    .array(z.enum(outputFormats))
    .max(outputFormats.length)
    .default([])
    .describe('Further output formats, in manuscript mode'),
  page: page.prefault({}).describe('The pages of a PDF'),
  pdf_standard: z
    .enum(pdfStandards)
    .optional()
    .describe(
      'Standard that a PDF keeps: PDF/A for archives, or PDF/UA for accessibility. A document that cannot keep it is a 422',
    ),
});

const result = z.object({
  output: z.string().optional().describe('The result in a text format'),
  output_url: z.string().optional().describe('Link to the result, valid until `expires_at`'),
  expires_at: z.string().optional().describe('ISO 8601'),
  format: z.enum(outputFormats),
  size_bytes: z.int(),
});

/** Returns the table of all formats in Markdown. */
function formatTable(): string {
  const yes = (wanted: boolean) => (wanted ? 'yes' : '');
  const rows = Object.entries(documentFormats).map(
    ([name, { title, reads, writes, binary }]) =>
      `| \`${name}\` | ${title} | ${yes(reads)} | ${yes(writes)} | ${binary ? 'binary' : 'text'} |`,
  );
  return ['| format | | from | to | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

export const convertDocument = defineTool({
  name: 'convert-document',
  path: 'convert-document/json',
  summary: 'Convert documents between Markdown, HTML, LaTeX, Word, PDF, EPUB and others',
  description: `A document may have 50 MB. Text formats are returned in \`output\`, binary formats as a link.

${formatTable()}

- \`content\` is text, or base64 for binary formats (and for text with \`content_encoding: "base64"\`). A form may omit
  \`from\` if the content or name of the file shows its format; a file called README in Markdown is read as gfm. The
  response has the format in \`from\`.
- \`files\` contains pictures, included files and bibliographies (\`.bib\`) by the path that the document uses. The
  conversion reads no other files and no web addresses. \`warnings\` lists missing files.
- Markdown is pandoc's dialect, but lists, headings, quotes and tables need no empty line before them, and addresses
  become links. \`gfm\` is Markdown as GitHub reads it, with task lists, alerts and emoji names. HTML and LaTeX in
  Markdown become elements of the result. In plain text, short lines stay separate and wrapped lines are joined.
- \`warnings\` names each part of the document that the result does not contain.
- A PDF has fonts for the scripts of all languages in use, and coloured emoji. \`warnings\` names the characters that no
  font has. \`page\` sets paper, margins, header, footer and page numbers. The file is tagged for screen readers, and
  keeps a standard with \`pdf_standard\`. Text is justified and hyphenated if the metadata names its language (\`lang\`).
- Typst writes PDF, and a Markdown block \`{=typst}\` is its code. The code sees the files of the call, and neither other
  files nor the network. Other text is never code.
- From PDF the tool reads headings, paragraphs, lists, tables, links and pictures, as far as the file contains them.
  \`warnings\` names scanned pages. Files with scanned pages only, and encrypted files, are a 422.
- \`extract_media\` returns every picture in \`media\`, with the path by which the text refers to it.
- \`mode: "manuscript"\` adds \`jats\` (Archiving 1.2), \`markdown\` and \`metadata\`, and one entry in \`outputs\` for each
  of the \`output_formats\`.
- The time limit is 30 seconds for each step: reading PDF, converting, and writing PDF. Converting a text has 5 seconds
  and a second for each 10 kB, if that is less. A text result may have 10 MB.`,
  credits: price.premium,
  runsIn: 'outside',
  seconds: 100,
  bodyLimit: Math.ceil((limit * 4) / 3) + MiB / 16,
  upload: {
    path: 'convert-document',
    field: 'file',
    as: 'content',
    limit,
    others: 'options',
  },
  get input() {
    return z.object({
      content: z
        .union([z.string(), z.instanceof(Uint8Array)], {
          error: ({ input }) => (input === undefined ? 'is required' : 'must be a string'),
        })
        .meta({ description: 'The document', override: { type: 'string' } }),
      from: z.enum(inputFormats),
      to: z.enum(outputFormats),
      content_encoding: z.enum(['text', 'base64']).default('text'),
      options: options.prefault({}),
      files: z.record(z.string(), fileContent('Base64')).optional().describe('Content by path'),
      filename: z
        .string()
        .optional()
        .describe('File name of the result; the default is the name of the uploaded file'),
    });
  },
  get output() {
    return result.extend({
      from: z.enum(inputFormats).optional().describe('The format that the document was read as'),
      media: z.array(z.object({ path: z.string(), url: z.string() })),
      warnings: z.array(z.string()),
      metadata: metadata.optional().describe('With structured_metadata, or in manuscript mode'),
      jats: z.string().optional().describe('In manuscript mode'),
      markdown: z.string().optional().describe('In manuscript mode'),
      outputs: z
        .array(result)
        .optional()
        .describe('In manuscript mode, one for each output format'),
    });
  },
  examples: [
    {
      title: 'Markdown as HTML',
      input: { content: '# Hello\n\nIt is *easy*: $x^2$.', from: 'markdown', to: 'html' },
    },
    {
      title: 'a table as a Word document',
      input: { content: '| a | b |\n|---|---|\n| 1 | 2 |', from: 'markdown', to: 'docx' },
    },
    {
      title: 'a letter as PDF, with a footer',
      input: {
        content: '---\nlang: en-GB\n---\n\nDear Ada,\n\nit works.\n\nYours, Bob',
        from: 'markdown',
        to: 'pdf',
        options: { page: { size: 'a5', margin: 20, footer: 'Page {page} of {pages}' } },
      },
    },
    {
      title: 'a manuscript',
      input: {
        content:
          '---\ntitle: On colours\nauthor:\n- name: Ada Green\n  orcid: 0000-0002-1825-0097\n---\n\n# Red\n\nIt is.',
        from: 'markdown',
        to: 'html',
        options: { mode: 'manuscript', output_formats: ['latex'] },
      },
    },
  ],
  forward,
  run(input, context) {
    const { content, files = {}, ...others } = input;
    const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
    const json = JSON.stringify({
      ...others,
      ...(typeof content === 'string'
        ? { content }
        : { content: inBase64(content), content_encoding: 'base64' }),
      files: Object.fromEntries(
        Object.entries(files).map(([path, bytes]) => [path, inBase64(bytes)]),
      ),
    });
    return forward({ kind: 'json', type: 'application/json', body: json }, context);
  },
});

/** Converts, keeps the files as they arrive, and puts links in their places. */
async function forward(body: UnreadBody, { converter, storage }: Context) {
  const { answer, files } = await converter.convert(body);
  const { results, media, ...others } = answer;
  const links: Link[] = [];
  for await (const file of files) links.push(await storage.put(file));
  const [first, ...more] = results.map(({ file, ...result }) => {
    if (file === undefined) return result;
    const { url, expires_at } = links[file]!;
    return { output_url: url, expires_at, ...result };
  });
  return {
    ...first!,
    ...others,
    media: media.map(({ path, file }) => ({ path, url: links[file]!.url })),
    ...(others.jats !== undefined && { outputs: more }),
  };
}
