import { invalidInput, ServiceError, type FieldError } from '../../errors.ts';
import { CodeError } from './code-error.ts';
import { formatGo } from './go.ts';
import type { Input } from './index.ts';
import { languageOfFile } from './file-language.ts';
import { languages, type Language } from './languages.ts';
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
    const file = { name: languages[language].file, source: code, language };
    const formatted = await formatFile(file, fragment, style).catch((error: unknown) => {
      throw invalidInput('code', messageOf(error, language));
    });
    return { formatted, language_detected: language, changes_made: formatted !== code };
  }
  return formatFiles(files!, language, fragment, style);
}

interface SourceFile {
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
  const errors: FieldError[] = [];
  for (const [name, source] of Object.entries(sources)) {
    const path = `files.${name}`;
    const known = await languageOfFile(name);
    if (known === 'foreign') {
      const message = 'is in a language that this tool does not format; leave it out';
      errors.push({ path, message });
      continue;
    }
    const language = known ?? fallback;
    found.add(language);
    const file = { name: known ? name : languages[language].file, source, language };
    try {
      formatted.push([name, await formatFile(file, fragment, style)]);
    } catch (error) {
      errors.push({ path, message: messageOf(error, language) });
    }
  }
  if (errors.length > 0) {
    const message = errors.map((error) => `${error.path}: ${error.message}`).join('; ');
    throw new ServiceError('invalid_input', message, { errors });
  }
  return {
    files: Object.fromEntries(formatted),
    language_detected: found.size === 1 ? [...found][0]! : fallback,
    changes_made: formatted.some(([name, text]) => text !== sources[name]),
  };
}

/** Throws CodeError. */
async function formatFile(file: SourceFile, fragment: boolean, style: Style): Promise<string> {
  const formatted = await byLanguage(file, fragment, style);
  return formatted === '' || formatted.endsWith('\n') ? formatted : `${formatted}\n`;
}

function byLanguage({ source, name, language }: SourceFile, fragment: boolean, style: Style) {
  if (language === 'go') return formatGo(source);
  return fragment
    ? formatFragment(source, language, style)
    : formatWithPrettier(source, name, style);
}

/** What is wrong with a source, in the same form for each language. Throws what is not the caller's doing. */
function messageOf(error: unknown, language: Language): string {
  if (!(error instanceof CodeError)) throw error;
  const { message, place } = error;
  if (!place) return message;
  const [line, column] = place;
  return `is not valid ${languages[language].label}: ${message} (line ${line}, column ${column})`;
}
