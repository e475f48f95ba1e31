import { invalidInput } from '../../errors.ts';
import { CodeError } from './code-error.ts';
import { formatGo } from './go.ts';
import type { Input } from './index.ts';
import { languageOfFile, languages, type Language } from './languages.ts';
import { formatFragment, formatWithPrettier, type Style } from './prettier.ts';

export async function run({ language, code, files, fragment, config }: Input) {
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
}

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
