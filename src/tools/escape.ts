import { escapeUTF8 } from 'entities/escape';
import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { fromRegex, toRegex } from './regex-text.ts';
import { fromShell, toShell } from './shell-word.ts';
import { defineTool, price } from './tool.ts';

const context = z.enum(['html', 'xml', 'csv', 'sql', 'shell', 'regex']);
const action = z.enum(['escape', 'unescape']);
const options = z.object({
  dialect: z
    .enum(['standard', 'mysql'])
    .default('standard')
    .describe('sql: `mysql` uses backslashes'),
  guard_formulas: z
    .boolean()
    .default(false)
    .describe("csv: puts a ' before what a spreadsheet would run as a formula"),
});
type Options = z.output<typeof options>;

export const escape = defineTool({
  name: 'escape',
  summary: 'Escape text for HTML, XML, CSV, SQL, the shell and regular expressions, and back',
  description: `\`unescape\` undoes \`escape\` exactly.

- **html**, **xml**: markup characters become entities. XML refuses characters that XML 1.0 forbids.
- **csv**: one field (RFC 4180), quoted where it must be.
- **sql**: the inside of a string literal. Prefer bound parameters wherever you can.
- **shell**: one word in POSIX single quotes; unescape removes quotes as a shell does, also
  \`$'…'\` (POSIX.1-2024).
- **regex**: ECMAScript's syntax characters get a backslash; holds with the u and v flags too.
  unescape also takes what other languages write: \`\\-\`, \`\\x41\`, \`\\u{41}\`, \`\\Q…\\E\`.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({
      input: z.string(),
      context,
      action,
      options: options.prefault({}),
    });
  },
  get output() {
    return z.object({ output: z.string(), context, action });
  },
  examples: [
    { title: 'for the shell', input: { input: "it's", context: 'shell', action: 'escape' } },
    { title: 'for HTML', input: { input: '<a href="x">', context: 'html', action: 'escape' } },
  ],
  run: async ({ input, context, action, options }) => ({
    output: await escapers[context][action](input, options),
    context,
    action,
  }),
});

interface Escaper {
  escape(text: string, options: Options): string;
  unescape(text: string, options: Options): string | Promise<string>;
}

/** Loads the table of HTML's character names when it is needed, because loading takes 20 ms. */
const entities = () => import('entities/decode');

/** Escapes markup, and carriage returns, which parsers read as line feeds (HTML 13.2.3.5, XML 2.11). */
const markup = (text: string) => escapeUTF8(text).replaceAll('\r', '&#13;');

/** A character that XML 1.0 does not allow (production 2, Char). */
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const isXmlCharacter = (codePoint: number) =>
  codePoint <= 0x10ffff && !notXml.test(String.fromCodePoint(codePoint));

/** Returns the code point of a character reference; one of the arguments is undefined. */
const codePointOf = (hexadecimal: string | undefined, decimal: string | undefined) =>
  hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);

const escapers: Record<z.infer<typeof context>, Escaper> = {
  html: { escape: markup, unescape: async (text) => (await entities()).decodeHTML(text) },
  xml: {
    escape(text) {
      const illegal = notXml.exec(text);
      if (illegal) throw refuse(`has a character that XML forbids at offset ${illegal.index}`);
      return markup(text);
    },
    async unescape(text) {
      const wrong = text
        .matchAll(/&#(?:x([\da-f]+)|(\d+));/gi)
        .find(([, hexadecimal, decimal]) => !isXmlCharacter(codePointOf(hexadecimal, decimal)));
      if (wrong) {
        throw refuse(`has ${wrong[0]}, a character that XML forbids, at offset ${wrong.index}`);
      }
      return (await entities()).decodeXML(text);
    },
  },
  csv: { escape: toCsv, unescape: fromCsv },
  sql: {
    escape: (text, { dialect }) =>
      dialect === 'mysql' ? text.replace(mysqlSpecial, toMysql) : text.replaceAll("'", "''"),
    unescape: (text, { dialect }) => (dialect === 'mysql' ? fromMysql(text) : fromSql(text)),
  },
  shell: { escape: toShell, unescape: fromShell },
  regex: { escape: toRegex, unescape: fromRegex },
};

const refuse = (why: string) => invalidInput('input', why);

function toCsv(text: string, { guard_formulas }: Options): string {
  const field = guard_formulas && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

function fromCsv(text: string): string {
  if (!text.startsWith('"')) {
    if (/[",\r\n]/.test(text)) throw refuse('is not one CSV field: it would have to be quoted');
    return text;
  }
  const inside = /^"([^"]*(?:""[^"]*)*)"$/.exec(text)?.[1];
  if (inside === undefined) throw refuse('is not one CSV field: its quotes do not match');
  return inside.replaceAll('""', '"');
}

function fromSql(text: string): string {
  if (text.match(/'+/g)?.some((run) => run.length % 2)) throw refuse("has a ' that is not doubled");
  return text.replaceAll("''", "'");
}

/** The escapes that mysql_real_escape_string() writes (MySQL 8 Reference Manual, table 11.1). */
const mysqlEscapes: Record<string, string> = {
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\u001a': '\\Z',
  '"': '\\"',
  "'": "\\'",
  '\\': '\\\\',
};
// oxlint-disable-next-line no-control-regex
const mysqlSpecial = /[\0\n\r\u001a"'\\]/g;
const toMysql = (c: string) => mysqlEscapes[c]!;
const mysqlLetters: Record<string, string> = {
  0: '\0',
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  Z: '\u001a',
};

function fromMysql(text: string): string {
  return text.replace(/\\([\s\S]?)|''|'/g, (whole, c?: string) => {
    if (whole === "''") return "'";
    if (c === undefined) throw refuse("has a ' that is neither doubled nor escaped");
    if (c === '') throw refuse('ends with a lone backslash');
    // Outside of LIKE patterns MySQL keeps the backslash in `\%` and `\_`.
    return c === '%' || c === '_' ? whole : (mysqlLetters[c] ?? c);
  });
}
