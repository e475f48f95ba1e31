import { z } from 'zod';
import { invalidInput } from '../../errors.ts';
import { defineTool, MiB, price } from '../tool.ts';
import { CodeError } from './code-error.ts';
import { formatGo } from './go.ts';
import { aliases, languageOfFile, languages, type Language } from './languages.ts';
import { formatFragment, formatWithPrettier, type Style } from './prettier.ts';

const names = [...Object.keys(languages), ...Object.keys(aliases)];

export const formatCode = defineTool({
  name: 'format-code',
  summary: 'Format JavaScript, TypeScript, JSX, TSX, JSON, CSS and Go',
  description: `Byte for byte what the \`prettier\` command writes with tabs, and for Go what \`gofmt\` does.
With \`files\` each file's language comes from its extension, else from \`language\`. A syntax error is a
422 with its line and column. Up to 1 MB of source.`,
  credits: price.standard,
  bodyLimit: MiB,
  input: z.object({
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
  }),
  output: z.object({
    formatted: z.string().optional().describe('With `code`'),
    files: z.record(z.string(), z.string()).optional().describe('With `files`'),
    language_detected: z.string(),
    changes_made: z.boolean(),
  }),
  examples: [
    { title: 'TypeScript', input: { language: 'ts', code: 'const x:number=1' } },
    {
      title: 'two files',
      input: { language: 'js', files: { 'a.css': 'a{b:c}', 'b.go': 'package b\nfunc f(){}' } },
    },
  ],
  async run({ language, code, files, fragment, config }) {
    if ((code === undefined) === (files === undefined)) {
      throw invalidInput('code', 'give exactly one of code and files');
    }
    const style: Style = {
      indentWidth: config.indent_width,
      semicolons: config.semicolons,
      useTabs: config.use_tabs ?? config.indent_width === undefined,
    };
    if (code !== undefined) {
      const file = { path: 'code', name: languages[language].file, source: code, language };
      const formatted = await formatFile(file, fragment, style);
      return { formatted, language_detected: language, changes_made: formatted !== code };
    }
    return formatFiles(files!, language, fragment, style);
  },
});

interface SourceFile {
  /** Where the source stands in the input, for errors. */
  path: string;
  name: string;
  source: string;
  language: Language;
}

async function formatFiles(
  sources: Record<string, string>,
  fallback: Language,
  fragment: boolean,
  style: Style,
) {
  const formatted: [string, string][] = [];
  const found = new Set<Language>();
  for (const [name, source] of Object.entries(sources)) {
    const known = languageOfFile(name);
    const language = known ?? fallback;
    found.add(language);
    const file = {
      path: `files.${name}`,
      name: known ? name : languages[language].file,
      source,
      language,
    };
    formatted.push([name, await formatFile(file, fragment, style)]);
  }
  return {
    files: Object.fromEntries(formatted),
    language_detected: found.size === 1 ? [...found][0]! : fallback,
    changes_made: formatted.some(([name, text]) => text !== sources[name]),
  };
}

async function formatFile(file: SourceFile, fragment: boolean, style: Style): Promise<string> {
  try {
    const formatted = await byLanguage(file, fragment, style);
    return formatted === '' || formatted.endsWith('\n') ? formatted : `${formatted}\n`;
  } catch (error) {
    if (!(error instanceof CodeError)) throw error;
    const place = error.place ? ` (line ${error.place[0]}, column ${error.place[1]})` : '';
    throw invalidInput(file.path, error.message + place);
  }
}

function byLanguage({ source, name, language }: SourceFile, fragment: boolean, style: Style) {
  if (language === 'go') return formatGo(source);
  return fragment
    ? formatFragment(source, language, style)
    : formatWithPrettier(source, name, style);
}
