import type { ConversionRequest } from './request.ts';
import { isNode, type Node } from './ast.ts';

/** An entry of pandoc's log (`Text.Pandoc.Logging`). The other fields depend on `type`. */
interface Entry {
  type: string;
  verbosity: string;
  pretty: string;
  path?: string;
  message?: string;
  contents?: string | Node;
  lang?: string;
  term?: string;
}

interface About {
  from: ConversionRequest['from'];
  /** Number of pictures that the document contains and a text result does not. */
  stored: number;
}

/** Largest number of names in one warning. */
const maxNames = 20;

/** Returns the warnings about a document, without duplicates. @param log pandoc's log in its JSON */
export function warningsIn(log: unknown[], { from, stored }: About): string[] {
  const entries = log as Entry[];
  const paths = entries.flatMap(({ type, path }) =>
    type === 'CouldNotFetchResource' && path ? [path] : [],
  );
  const remote = paths.filter((path) => /^(?:[a-z]+:)?\/\//i.test(path));
  const missing = paths.filter((path) => !remote.includes(path));
  const skipped = entries.flatMap(({ type, contents }) =>
    from === 'latex' && type === 'SkippedContent' && typeof contents === 'string'
      ? commandsWithText(contents)
      : [],
  );
  return [
    ...new Set([
      ...(stored > 0
        ? [
            `the result does not contain the document's pictures (${stored}); extract_media returns them`,
          ]
        : []),
      ...about(
        'pictures on the web are not fetched; their descriptions stand in their places',
        remote,
      ),
      ...about('not among the files; descriptions stand in the places of these pictures', missing),
      ...about('LaTeX commands that the converter does not know are left out', skipped),
      ...entries.flatMap(textOf),
    ]),
  ];
}

function about(text: string, names: string[]): string[] {
  const all = [...new Set(names)];
  if (all.length === 0) return [];
  const rest = all.length - maxNames;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return [`${text}: ${all.slice(0, maxNames).join(', ')}${more}`];
}

/** Commands whose arguments are not text of the document. */
const layout =
  /^\\(?:[hv]space|usepackage|documentclass|bibliographystyle|pagestyle|thispagestyle|setlength|addtolength|setcounter|addtocounter|pagenumbering|hypersetup|geometry|label|fontsize|selectlanguage|graphicspath|input|include|noalign|special|newtheorem|theoremstyle|definecolor|color|rule)\b/;

/** Returns the name of a skipped command if its argument has words. */
function commandsWithText(contents: string): string[] {
  const [, name] = /^(\\[A-Za-z@]+\*?)[^{]*\{[^}]*\p{L}{2}/u.exec(contents) ?? [];
  return name && !layout.test(contents) ? [name] : [];
}

/** Returns the text of an entry that is a warning. */
function textOf(entry: Entry): string[] {
  const { type, verbosity, path, contents, lang, message } = entry;
  switch (type) {
    case 'CouldNotFetchResource':
    case 'NoTitleElement':
    case 'NoTranslation':
    // Such an SVG picture has a PNG beside it; see svg.ts.
    case 'CouldNotConvertImage':
      return [];
    case 'CouldNotLoadIncludeFile':
      return [`${path} is included by the document, and not among the files`];
    case 'CouldNotLoadTranslations':
      return [
        `words that the converter adds, such as “Contents”, are English; it knows no ${lang}`,
      ];
    case 'CouldNotConvertTeXMath':
      return [`a formula stays LaTeX: ${oneLine(String(contents))}`];
    case 'ScriptingWarning':
      return [message ?? ''];
    case 'BlockNotRendered':
    case 'InlineNotRendered':
      return leftOut(contents);
    default:
      return verbosity === 'WARNING' && entry.pretty ? [inWords(entry.pretty)] : [];
  }
}

/** Returns a warning about raw markup that the result does not contain. Comments are no loss. */
function leftOut(contents: Entry['contents']): string[] {
  if (!isNode(contents) || !['RawInline', 'RawBlock'].includes(contents.t)) return [];
  const [format, text] = contents.c as [string, string];
  if (text.replaceAll(/<!--[^]*?-->|<[^>]*>/g, '').trim() === '') return [];
  return [`${format} markup without equivalent is left out: ${oneLine(text)}`];
}

const maxQuoted = 200;

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > maxQuoted ? `${line.slice(0, maxQuoted).toWellFormed()}…` : line;
}

/** Rewrites a message of pandoc so that it is about the caller's document. */
export const inWords = (text: string): string =>
  text
    .replaceAll(/(?:at )?"?\/?(?:stdin|\.own\/source)"?/g, 'the document')
    .replace(/^ERROR: /, '')
    .replace(
      /^(?:File ')?([^':\n]+)(?:' not found in resource path|: withBinaryFile: does not exist).*/s,
      (_, path: string) => `needs ${path.replace(/^\//, '')}, which is not among the files`,
    )
    .replaceAll('pandoc was compiled without HTTP support', 'addresses of the web are not fetched')
    .trim();
