import { z } from 'zod';
import { defineTool, fileContent, MiB, price } from '../tool.ts';

export const limit = 10 * MiB;

const input = () =>
  z.object({ content: fileContent('The file, as base64 or a `data:` URL; up to 10 MB') });
export type Input = z.output<ReturnType<typeof input>>;

export const detectFileTool = defineTool({
  name: 'detect-file',
  summary: 'Tell what a file is from its content',
  description: `Uses libmagic (the library of the \`file\` command) and file-type for binary files. Texts are recognized by their
content: the encoding, and formats such as JSON, YAML, Markdown, CSV, mail and source code. File names are not used.
A file may have 10 MB. A text format without a MIME type of its own is \`text/plain\`; \`extension\` and
\`description\` name the format.`,
  credits: price.standard,
  runsIn: 'workshop',
  seconds: 10,
  bodyLimit: Math.ceil((limit * 4) / 3) + MiB / 16,
  upload: { path: 'detect-file/upload', field: 'file', as: 'content', limit },
  get input() {
    return input();
  },
  get output() {
    return z.object({
      mime_type: z.string(),
      extension: z.string().describe('Without the dot; empty if the type has none'),
      encoding: z.string().describe('Such as `utf-8`; `binary` if the file is not text'),
      description: z.string(),
      is_text: z.boolean(),
      is_image: z.boolean(),
      is_archive: z.boolean(),
    });
  },
  examples: [
    { title: 'a GIF image', input: { content: 'R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=' } },
    { title: 'a text', input: { content: 'SGVsbG8sIHdvcmxkIQo=' } },
  ],
  run: async (input) => (await import('#workshop/tools/detect-file/run.ts')).run(input),
});
