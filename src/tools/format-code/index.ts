import { z } from 'zod';
import { defineTool, MiB, price } from '../tool.ts';
import { aliases, languages, type Language } from './languages.ts';

const names = [...Object.keys(languages), ...Object.keys(aliases)];

const input = () =>
  z.object({
    language: z
      .enum(names as [string, ...string[]])
      .transform((name) => aliases[name] ?? (name as Language)),
    code: z.string().optional().describe('One file; either this or `files`'),
    files: z
      .record(z.string(), z.string())
      .optional()
      .describe('File names with their sources; either this or `code`'),
    fragment: z
      .boolean()
      .default(false)
      .describe('The code is not a whole file: an expression, CSS declarations, Go statements'),
    config: z
      .object({
        indent_width: z.int().min(1).max(16).optional().describe('Spaces; not for Go'),
        semicolons: z.boolean().default(true).describe('JavaScript and TypeScript'),
        use_tabs: z.boolean().optional().describe('Default true, or false with `indent_width`'),
      })
      .prefault({}),
  });
export type Input = z.output<ReturnType<typeof input>>;

export const formatCode = defineTool({
  name: 'format-code',
  summary: 'Format JavaScript, TypeScript, JSX, TSX, JSON, CSS, Go and others',
  description: `Byte for byte what the \`prettier\` command writes with tabs, and for Go what \`gofmt\` does.
With \`files\` each file's language comes from its name; a file whose name tells none is in \`language\`, and
one in another language (\`m.py\`) is a 422. A syntax error is a 422 with its line and column; all files that
cannot be formatted are named. Up to 1 MB of source.`,
  credits: price.standard,
  runsIn: 'workshop',
  seconds: 10,
  bodyLimit: MiB,
  get input() {
    return input();
  },
  get output() {
    return z.object({
      formatted: z.string().optional().describe('With `code`'),
      files: z.record(z.string(), z.string()).optional().describe('With `files`'),
      language_detected: z.string(),
      changes_made: z.boolean(),
    });
  },
  examples: [
    { title: 'TypeScript', input: { language: 'ts', code: 'const x:number=1' } },
    {
      title: 'two files',
      input: { language: 'js', files: { 'a.css': 'a{b:c}', 'b.go': 'package b\nfunc f(){}' } },
    },
  ],
  run: async (input) => (await import('#workshop/tools/format-code/run.ts')).run(input),
});
