import { z } from 'zod';
import { defineTool, MiB, price } from '../tool.ts';
import { aliases, languages, type Language } from './languages.ts';

const names = [...Object.keys(languages), ...Object.keys(aliases)];

const input = () =>
  z.object({
    language: z
      .enum(names as [string, ...string[]])
      .transform((name) => aliases[name] ?? (name as Language)),
    code: z.string().optional().describe('Source of one file; either `code` or `files`'),
    files: z
      .record(z.string(), z.string())
      .optional()
      .describe('Sources by file name; either `code` or `files`'),
    fragment: z
      .boolean()
      .default(false)
      .describe('The code is not a whole file: an expression, CSS declarations, Go statements'),
    config: z
      .object({
        indent_width: z.int().min(1).max(16).optional().describe('Number of spaces; not for Go'),
        semicolons: z.boolean().default(true).describe('JavaScript and TypeScript'),
        use_tabs: z.boolean().optional().describe('Default true, or false with `indent_width`'),
      })
      .prefault({}),
  });
export type Input = z.output<ReturnType<typeof input>>;

export const formatCode = defineTool({
  name: 'format-code',
  summary: 'Format JavaScript, TypeScript, JSX, TSX, JSON, CSS, Go and others',
  description: `The output equals that of the \`prettier\` command with tabs byte for byte, and for Go that of \`gofmt\`.
With \`files\`, the name of each file gives its language; a file with an unknown name is in \`language\`, and a file in
a language that is not supported (\`m.py\`) is a 422. A syntax error is a 422 with line and column. The error lists all
files that cannot be formatted. The body may have 1 MB.`,
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
