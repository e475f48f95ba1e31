import type { Options, Plugin, SupportLanguage } from 'prettier';
import { CodeError } from './code-error.ts';
import { languages, type Language } from './languages.ts';

export interface Style {
  indentWidth: number | undefined;
  semicolons: boolean;
  useTabs: boolean;
}

/**
 * Prettier's output for a file. The plugins beyond the language's own are there because Prettier
 * formats CSS, GraphQL, HTML and Markdown inside template literals.
 */
export async function formatWithPrettier(
  source: string,
  fileName: string,
  style: Style,
  parser?: string,
): Promise<string> {
  const { format } = await import('prettier/standalone');
  const options: Options = {
    filepath: fileName,
    plugins: await plugins(),
    useTabs: style.useTabs,
    semi: style.semicolons,
    ...(style.indentWidth !== undefined && { tabWidth: style.indentWidth }),
    ...(parser && { parser }),
  };
  try {
    return await format(source, options);
  } catch (error) {
    throw codeError(error);
  }
}

/** Languages of which Prettier formats a part as an expression; parts of the others are files to it as they are. */
const withExpressions: ReadonlySet<Language> = new Set(['javascript', 'jsx', 'typescript', 'tsx']);

/**
 * A piece of code: an expression where the text is one, else statements. Of JSON a value, of CSS
 * declarations.
 */
export async function formatFragment(
  source: string,
  language: Language,
  style: Style,
): Promise<string> {
  const { file } = languages[language];
  if (!withExpressions.has(language)) return formatWithPrettier(source, file, style);
  const typed = language === 'typescript' || language === 'tsx';
  try {
    return await formatWithPrettier(
      source,
      file,
      style,
      typed ? '__ts_expression' : '__js_expression',
    );
  } catch (error) {
    if (!(error instanceof CodeError)) throw error;
    return formatWithPrettier(source, file, style);
  }
}

/** The languages of the plugins, with the names of their files. */
export const supportedLanguages = async (): Promise<SupportLanguage[]> =>
  (await plugins()).flatMap((plugin) => plugin.languages ?? []);

async function plugins(): Promise<Plugin[]> {
  const modules = await Promise.all([
    import('prettier/plugins/babel'),
    import('prettier/plugins/estree'),
    import('prettier/plugins/typescript'),
    import('prettier/plugins/postcss'),
    import('prettier/plugins/graphql'),
    import('prettier/plugins/html'),
    import('prettier/plugins/markdown'),
  ]);
  return modules as unknown as Plugin[];
}

interface PrettierError extends Error {
  loc?: { start?: { line: number; column: number } };
  cause?: { reason?: string };
}

/**
 * Syntax errors of every parser carry `loc`; anything else is not the caller's doing, but for a rule of
 * CSS without a selector, which its parser takes and its printer does not know.
 */
function codeError(error: unknown): unknown {
  const { name, message, loc } = error as PrettierError;
  if (name === 'UnexpectedNodeError' && message.includes('PostCSS')) {
    return new CodeError('a rule has no selector');
  }
  // Its printer met a tree that its parser should not have made, as of `a{--b:{{c}}}`.
  if (name === 'TypeError') return new CodeError('Prettier cannot format it');
  if (!loc?.start) return error;
  const reason = message
    .split('\n', 1)[0]!
    .replace(/^(?:CssSyntaxError|Syntax Error): /, '')
    .replace(/ \(\d+:\d+\)$/, '')
    .replace(/ For more info see .*/, '')
    .replace(/\.$/, '');
  return new CodeError(reason, [loc.start.line, loc.start.column]);
}
