import { z } from 'zod';
import { defineTool, fileContent, MiB, price } from '../tool.ts';

export const limit = 10 * MiB;

const input = () =>
  z.object({ content: fileContent('The file, as base64 or a `data:` URL; up to 10 MB') });
export type Input = z.output<ReturnType<typeof input>>;

export const detectFileTool = defineTool({
  name: 'detect-file',
  summary: 'Tell what a file is from its content',
  description: `By libmagic, the library behind the \`file\` command, by file-type, and for texts by what they
say: their encoding and whether they are JSON, YAML, Markdown, CSV, mail, source code … Names play no
part. Up to 10 MB. Kinds of text without a MIME type of their own are \`text/plain\`, and \`extension\`
and \`description\` tell them apart.`,
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
      extension: z.string().describe('Without a dot; empty when there is none'),
      encoding: z.string().describe('Such as `utf-8`; `binary` for what is no text'),
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
