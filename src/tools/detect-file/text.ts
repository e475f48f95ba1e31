import { parseTOML } from 'toml-eslint-parser';
import { languageOf } from './languages.ts';

/**
 * What a text is, by its own words; undefined for prose and for what nobody can tell.
 *
 * @param text the beginning of the file
 * @param all gives all of it, for formats that only a parser can tell
 */
export function textType(text: string, all: () => string): string | undefined {
  const parsed = json(text, all);
  if (parsed) return parsed;
  const sample = tamed(text);
  for (const recognise of recognisers) {
    const mime = recognise(sample, all);
    if (mime) return mime;
  }
  return undefined;
}

/** From the surest to the most general. */
const recognisers: ((sample: string, all: () => string) => string | undefined)[] = [
  shebang,
  marked,
  markup,
  mail,
  dockerfile,
  template,
  markdown,
  fragment,
  graphql,
  css,
  languageOf,
  toml,
  makefile,
  ini,
  yaml,
  ignoreFile,
  tabs,
  separated,
];

/** Bounds within which no pattern here takes long, whatever is thrown at it. */
const sampleSize = 64 * 1024;
const lineLength = 400;

/** The beginning, with long lines cut and runs of empty lines as one. */
function tamed(text: string): string {
  const lines = text.slice(0, sampleSize).split(/\r\n|\n|\r/);
  const cut = lines.map((line) => line.slice(0, lineLength).trimEnd());
  return cut.filter((line, i) => line !== '' || cut[i - 1] !== '').join('\n');
}

const interpreters: [RegExp, string][] = [
  [/^(?:ba|da|z|k|a|fi|c|tc)?sh$/, 'text/x-shellscript'],
  [/^(?:python|pypy)[\d.]*$/, 'text/x-script.python'],
  [/^perl[\d.]*$/, 'text/x-perl'],
  [/^ruby[\d.]*$/, 'text/x-ruby'],
  [/^(?:node|nodejs|deno|bun|qjs)$/, 'text/javascript'],
  [/^php[\d.]*$/, 'text/x-php'],
  [/^lua[\d.]*$/, 'text/x-lua'],
  [/^Rscript$/, 'text/x-r'],
  [/^(?:tclsh|wish|expect)[\d.]*$/, 'text/x-tcl'],
  [/^[gmn]?awk$/, 'text/x-awk'],
  [/^make$/, 'text/x-makefile'],
  [/^g?sed$/, 'text/x-sed'],
];

function shebang(text: string): string | undefined {
  const line = /^#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(text);
  if (!line) return undefined;
  const [, path = '', argument = ''] = line;
  const program = path.endsWith('/env') ? argument : path.slice(path.lastIndexOf('/') + 1);
  return interpreters.find(([name]) => name.test(program))?.[1];
}

function json(text: string, all: () => string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  if (isJson(all())) return 'application/json';
  const lines = text.split('\n').slice(0, -1).slice(0, 100);
  return lines.length > 1 && lines.every((line) => /^\s*[[{]/.test(line) && isJson(line))
    ? 'application/x-ndjson'
    : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Formats that say their name at the start. */
const marks: [RegExp, string][] = [
  [/^-----BEGIN PGP PUBLIC KEY BLOCK-----/, 'application/pgp-keys'],
  [/^-----BEGIN PGP SIGNATURE-----/, 'application/pgp-signature'],
  [/^-----BEGIN PGP (?:MESSAGE|SIGNED MESSAGE)-----/, 'application/pgp-encrypted'],
  [/^-----BEGIN PGP PRIVATE KEY BLOCK-----/, 'application/pgp-keys'],
  [/^-----BEGIN [A-Z0-9 .]+-----$/m, 'application/x-pem-file'],
  [/^BEGIN:VCALENDAR\b/, 'text/calendar'],
  [/^BEGIN:VCARD\b/, 'text/vcard'],
  [/^WEBVTT(?:\s|$)/, 'text/vtt'],
  [/^\d+\r?\n\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}/, 'application/x-subrip'],
  [
    /^(?:diff --git a\/|diff -\S+ |From [0-9a-f]{40} )|^(?:Index: .*\n=+\n)?--- \S.*\n\+\+\+ \S.*\n@@ -\d/m,
    'text/x-diff',
  ],
  [/^%!(?:PS-AdobeFont|FontType1)/, 'application/x-font-type1'],
  [/^%!PS/, 'application/postscript'],
  [/^syntax\s*=\s*["']proto[23]["']\s*;/m, 'text/x-protobuf'],
  [/^\{\\rtf/, 'text/rtf'],
];

function marked(text: string): string | undefined {
  return marks.find(([mark]) => mark.test(text.slice(0, 4096)))?.[1];
}

/** Past white space, comments and declarations: the root element decides. */
function markup(text: string): string | undefined {
  const prolog =
    /^\s*(?:<\?xml\b[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE\s+(?:[^>[]|\[[^\]]*\])*>\s*|<\?[\s\S]*?\?>\s*)*/i;
  const [start] = prolog.exec(text) ?? [''];
  const root = /^<([\w:-]+)/.exec(text.slice(start.length))?.[1]?.toLowerCase();
  if (root === 'svg' || root === 'svg:svg') return 'image/svg+xml';
  if (/^\s*<\?xml\b/.test(text)) return 'text/xml';
  if (root && /^(?:html|head|body)$/.test(root)) return 'text/html';
  return /<!DOCTYPE\s+html\b/i.test(start) ? 'text/html' : undefined;
}

/** Elements of HTML that stand in a body or a head. */
const htmlElements = new Set(
  `a abbr address area article aside audio b base bdi bdo blockquote br button canvas caption center cite code
  col colgroup datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form
  h1 h2 h3 h4 h5 h6 header hgroup hr i iframe img input ins kbd label legend li link main map mark menu meta
  meter nav noscript object ol optgroup option output p picture pre progress q s samp script search section
  select slot small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th
  thead time title tr track u ul var video wbr`.split(/\s+/),
);

/** A piece of HTML, or XML without its declaration: the text begins with an element. */
function fragment(text: string): string | undefined {
  const start = /^\s*(?:<!--[\s\S]*?-->\s*)*/.exec(text)![0].length;
  const body = text.slice(start);
  const [tag, root] =
    /^<([a-z][\w:.-]*)(?:\s+[\w:.@-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*\s*\/?>/i.exec(
      body,
    ) ?? [];
  if (!tag || !root) return undefined;
  const names = Array.from(body.matchAll(/<\/?([a-z][\w:-]*)/gi), ([, name]) =>
    name!.toLowerCase(),
  );
  // A name with a hyphen is one of a custom element.
  const known = names.filter((name) => htmlElements.has(name) || name.includes('-')).length;
  const isXml = /\sxmlns(?::\w+)?=/.test(tag) || !htmlElements.has(root.toLowerCase());
  if (!isXml) return known >= names.length / 2 ? 'text/html' : undefined;
  const isOne = tag.endsWith('/>') ? tag.length === body.trimEnd().length : false;
  return isOne || body.trimEnd().endsWith(`</${root}>`) ? 'text/xml' : undefined;
}

/** Definitions of types with typed fields; CSS would have its declarations so. */
function graphql(text: string): string | undefined {
  const types =
    /^(?:extend\s+)?(?:type|input|interface)\s+\w+(?:\s+implements\s+[\w\s&]+)?(?:\s*@\w+[^{\n]*)?\s*\{\s*(?:"[^\n]*"\s*\n\s*|#[^\n]*\n\s*)*\w+(?:\([^)]*\))?\s*:\s*\[*(?:\w+[!\]]*\s*(?:[=@#\n]|$)|[A-Z]\w*[!\]]*\s*[\s}])/m;
  return types.test(text) ? 'application/graphql' : undefined;
}

const mailHeader =
  /^(?:From|To|Cc|Subject|Date|Received|Message-ID|MIME-Version|Return-Path|Delivered-To|Reply-To|Content-Type|DKIM-Signature|Snapshot-Content-Location|X-[\w-]+): /i;

/** RFC 5322: header fields, some of which only mail has, up to an empty line. */
function mail(text: string): string | undefined {
  const head = text.split(/\r?\n\r?\n/, 1)[0]!;
  const fields = head.split(/\r?\n(?![ \t])/);
  const formed = fields.every(
    (field, i) => /^[\w-]+:/.test(field) || (i === 0 && field.startsWith('From ')),
  );
  if (!formed) return undefined;
  const archive =
    /^Content-Type:\s*multipart\/related/im.test(head) && /^MIME-Version:/im.test(head);
  if (archive && !/^(?:Received|To):/im.test(head)) return 'multipart/related';
  if (fields.filter((field) => mailHeader.test(field)).length < 3) return undefined;
  return /^(?:From|Received|Return-Path|Message-ID):/im.test(head) ? 'message/rfc822' : undefined;
}

function dockerfile(text: string): string | undefined {
  const lines = contentLines(text);
  const first = lines.find((line) => !/^ARG\s/i.test(line));
  if (!first || !/^FROM\s+\S+/i.test(first) || /^FROM\s+\w+\s+(?:import|WHERE)\b/i.test(first))
    return undefined;
  const instruction = /^(?:RUN|CMD|COPY|ADD|ENTRYPOINT|WORKDIR|ENV|EXPOSE|LABEL|USER)\s+\S/;
  return lines.some((line) => instruction.test(line)) ? 'text/x-dockerfile' : undefined;
}

/** Templates that are mostly something else, and say so. */
function template(text: string): string | undefined {
  if (/\{\{[#/](?:if|each|unless|with)\b|\{\{>\s*[\w/-]+/.test(text)) return 'text/x-handlebars';
  if (!/\{%-?\s*(?:if|for|block|extends|include|set|macro)\b[^%]*-?%\}/.test(text))
    return undefined;
  const twig =
    /\{%-?\s*(?:for\s+\w+\s+in\s+\d|embed|apply|cache)\b|\bloop\.index\b.*\|\w+\(|\|(?:merge|raw|date\(|url_encode|trans)\b|\bis (?:same as|empty|iterable)\b|\{\{\s*(?:include|path|asset|parent|dump)\(/;
  return twig.test(text) ? 'text/x-twig' : 'text/x-jinja';
}

/** Rules with recipes, and beside them settings, or a target that another rule asks for. */
function makefile(text: string): string | undefined {
  const rule = /^([\w.%/$(){}-]+)(?: [\w.%/$(){}-]+)*\s*::?(?![=:])([^=\n]*)\n\t\s*\S/gm;
  const rules = [...text.matchAll(rule)];
  const wanted = new Set(rules.flatMap(([, , sources]) => sources!.split(/\s+/)));
  const settings = /^\.(?:PHONY|SUFFIXES|DEFAULT)\s*:|^[A-Z_]+\s*[:?+]?=|^(?:ifeq|ifneq|define) /m;
  const linked = rules.some(([, target]) => wanted.has(target!));
  return rules.length > 0 && (linked || settings.test(text)) ? 'text/x-makefile' : undefined;
}

/** Headings with room around them, and beside them prose, lists, links or fenced code. */
function markdown(text: string): string | undefined {
  const lines = text.split(/\r?\n/);
  const headings = lines.filter(
    (line, i) => /^#{1,6} \S/.test(line) && !lines[i - 1] && !lines[i + 1],
  );
  const hashes = lines.filter((line) => line.startsWith('#'));
  if (headings.length === 0 || headings.length < hashes.length / 2) return undefined;
  const fenced = /^(?:```|~~~)[\w+-]*\s*$/m.test(text);
  const linked = /\[[^\]\n]+\]\((?:https?:|\.{0,2}\/|#|[\w-]+\.\w)[^)\s]*\)/.test(text);
  if (fenced || linked) return 'text/markdown';
  const others = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const prose = others.filter(
    (line) =>
      /^\s*(?:[A-Z"'(*_[>|`+-]|\d+\.)\S*(?: |$)/.test(line) &&
      !/[;{}=\\]$|[=!]=|\w\s*=\s*["'{[]|^\s*"[^"]*",?$/.test(line),
  );
  return prose.length > 0 && prose.length >= others.length * 0.6 ? 'text/markdown' : undefined;
}

const declaration = /^\s*[\w-]+\s*:(?!:)[^$]*$/;
const selector = /^[\w\s.#:*>+~,()[\]="'@%|^$&\\/-]+$/;

function isSelector(text: string): boolean {
  const outside = text.replace(/\[[^\]]*\]|:[\w-]+\([^)]*\)/g, '');
  return (
    selector.test(text) &&
    !/[=]|(?<!\d)%|\)\s*$|:\s*\n|"""/.test(outside.replace(/^\s*@[^{]*$/, ''))
  );
}

/** Selectors, blocks of declarations and at-rules, and nothing else. */
function css(sample: string): string | undefined {
  const parts = sample.replace(/\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)/g, '').split(/([{}])/);
  let blocks = 0;
  for (let i = 0; i < parts.length - 1; i += 2) {
    const statements = parts[i]!.split(';').filter((statement) => statement.trim() !== '');
    if (parts[i + 1] === '{') {
      const start = statements.pop();
      if (!start || !isSelector(start)) return undefined;
    } else if (statements.length > 0) blocks++;
    const inner = i === 0 || parts[i - 1] === '}' ? /^\s*(?:@|[\w-]+\s*:[^:])/ : declaration;
    if (!statements.every((statement) => inner.test(statement))) return undefined;
  }
  return blocks > 0 ? 'text/css' : undefined;
}

/** Sections and typed values that a TOML parser takes, all of them. */
function toml(text: string, all: () => string): string | undefined {
  const value = /^\s*[\w."-]+ *= *(?:"|'|\[|\{|[+-]?\d|true\b|false\b)/gm;
  const values = text.match(value)?.length ?? 0;
  const sections = /^\s*\[{1,2}[\w."-]+\]/m.test(text);
  const likely = values > 0 && (sections || (values > 2 && / = /.test(text)));
  if (!likely) return undefined;
  const whole = all();
  if (whole.length > sampleSize) return undefined;
  try {
    parseTOML(whole.replace(/^\uFEFF/, ''));
    return 'application/toml';
  } catch {
    return undefined;
  }
}

/** Sections and settings. No type is registered for them, so it shows in the extension only. */
function ini(text: string): string | undefined {
  const lines = contentLines(text, /^\s*(?:[#;]|\/\/)/);
  const sections = lines.filter((line) => /^\[[^\]]+\]\s*$/.test(line));
  const settings = lines.filter((line) => /^[^=:[\]]+[=:]|^\s+\S/.test(line));
  const enough = sections.length > 0 && settings.length > 0;
  return enough && sections.length + settings.length >= lines.length * 0.9
    ? 'text/x-ini'
    : undefined;
}

/** A mapping or list at the left edge, and nearly every line of YAML's shape. */
function yaml(text: string): string | undefined {
  const lines = contentLines(text);
  const shaped = lines.filter((line) =>
    /^\s*(?:- |-$|(?:- )?["']?[\w./$-][\w ./$-]*["']?:(?: \S|\s*$)|---|\.\.\.)/.test(line),
  );
  const keys = lines.filter((line) => /^["']?[\w./$-]+["']?:(?: \S|\s*$)/.test(line));
  const nested = lines.some((line) =>
    /^\s+(?:- )?["']?[\w./$-]+["']?:(?: \S|\s*$)|^\s*- \S/.test(line),
  );
  const start = /^---(?:\s|$)/.test(text) || text.startsWith('%YAML');
  const likely = keys.length >= 2 && nested && shaped.length >= lines.length * 0.8;
  return likely || (start && keys.length > 0 && shaped.length >= lines.length * 0.6)
    ? 'application/yaml'
    : undefined;
}

/** Patterns of paths, one a line (gitignore and its like). */
function ignoreFile(text: string): string | undefined {
  const lines = contentLines(text);
  const patterns = lines.filter((line) => /^!?[\w./*?[\]{}@+~-]+$/.test(line));
  const telling = lines.filter((line) => /^[!./]|\*|\/$/.test(line));
  return patterns.length === lines.length && lines.length > 1 && telling.length > lines.length / 2
    ? 'text/x-gitignore'
    : undefined;
}

/** The same number of tabs, one or more, in every line. */
function tabs(text: string): string | undefined {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const complete = lines.slice(0, 1000);
  const counts = new Set(complete.map((line) => line.split('\t').length));
  const [columns = 0] = counts;
  return complete.length > 1 &&
    counts.size === 1 &&
    columns > 1 &&
    !complete.some((line) => line.startsWith('\t'))
    ? 'text/tab-separated-values'
    : undefined;
}

/** Records of the same number of fields, two or more, between semicolons, bars or commas (RFC 4180). */
function separated(_sample: string, all: () => string): string | undefined {
  const whole = all();
  const isCut = whole.length > sampleSize;
  const text = isCut ? whole.slice(0, whole.lastIndexOf('\n', sampleSize) + 1) : whole;
  if (/^\s*\|/.test(text)) return undefined; // a table of Markdown
  return [';', '|', ','].some((separator) => isTable(text, separator)) ? 'text/csv' : undefined;
}

/** Whether lines end as sentences do: libmagic takes prose with the same number of commas in each for CSV. */
export function isProse(text: string): boolean {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => /[\p{L}\p{N}][.!?]["'”’)]?\s*$/u.test(line));
}

function isTable(text: string, separator: string): boolean {
  const records = recordsOf(text, separator);
  const columns = records[0]?.length ?? 0;
  if (records.length < 2 || columns < 2) return false;
  const isEven = records.every((record) => record.length === columns);
  if (!isEven && !isRagged(records)) return false;
  // Statements end with a semicolon, and after one in a sentence comes a space.
  const last = records.filter((record) => record[columns - 1] === '').length;
  const spaced = records.filter((record) =>
    record.slice(1).every((field) => field.startsWith(' ')),
  );
  return last < records.length && spaced.length < records.length / 2;
}

/** Whether the records of a table lack some of their last fields. The first record has the names of all fields. */
function isRagged([names = [], ...others]: string[][]): boolean {
  const { length } = names;
  return (
    length > 2 &&
    others.length > 1 &&
    names.every((name) => /^"?[\p{L}_][\p{L}\p{M}\p{N}_ -]*"?$/u.test(name)) &&
    others.every((fields) => fields.length >= length / 2 && fields.length <= length)
  );
}

/** The complete records of a table, with the quotation marks of their fields. */
function recordsOf(text: string, separator: string): string[][] {
  const field = String.raw`"(?:[^"]|"")*"|[^${separator}"\r\n][^${separator}\r\n]*|`;
  const pattern = new RegExp(
    `(${field})(${separator === '|' ? '\\|' : separator}|\r\n|\n|\r|$)`,
    'y',
  );
  const records: string[][] = [];
  let record: string[] = [];
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (!match) return [];
    record.push(match[1]!);
    if (match[2] === separator) continue;
    const isEmpty = record.length === 1 && record[0] === '';
    if (!isEmpty) records.push(record);
    record = [];
  }
  return records;
}

/** Lines that are neither empty nor comments. */
function contentLines(text: string, comment = /^\s*#/): string[] {
  return text
    .split(/\r?\n/)
    .slice(0, 2000)
    .filter((line) => line.trim() !== '' && !comment.test(line));
}
