import type { DateTime } from 'luxon';

/** A layout that is of no known kind, or has a part that is not known. */
export class LayoutError extends Error {}

/** Layouts with a name, most of them as Go's `time` package names them. */
const named: Record<string, (date: DateTime) => string> = {
  ISO8601: iso,
  RFC3339: (date) => iso(date.startOf('second')),
  HTTP: (date) => date.toHTTP()!,
  SQL: (date) => date.toFormat('yyyy-MM-dd HH:mm:ss'),
  Unix: (date) => String(Math.floor(date.toSeconds())),
  UnixMilli: (date) => String(date.toMillis()),
  ...Object.fromEntries(
    Object.entries({
      RFC3339Nano: '2006-01-02T15:04:05.999Z07:00',
      RFC1123: 'Mon, 02 Jan 2006 15:04:05 MST',
      RFC1123Z: 'Mon, 02 Jan 2006 15:04:05 -0700',
      RFC850: 'Monday, 02-Jan-06 15:04:05 MST',
      RFC822: '02 Jan 06 15:04 MST',
      RFC822Z: '02 Jan 06 15:04 -0700',
      RubyDate: 'Mon Jan 02 15:04:05 -0700 2006',
      ANSIC: 'Mon Jan _2 15:04:05 2006',
      UnixDate: 'Mon Jan _2 15:04:05 MST 2006',
      DateTime: '2006-01-02 15:04:05',
      DateOnly: '2006-01-02',
      TimeOnly: '15:04:05',
      Kitchen: '3:04PM',
      Stamp: 'Jan _2 15:04:05',
    }).map(([name, layout]) => [name, (date: DateTime) => goLayout(date, layout)]),
  ),
};
const byName = new Map(Object.entries(named).map(([name, write]) => [name.toLowerCase(), write]));

/** Names that `output_format` takes. */
export const layoutNames = Object.keys(named);

/** ISO 8601 with offset; milliseconds only when there are some. */
export function iso(date: DateTime): string {
  return date.toISO({ suppressMilliseconds: true })!;
}

/**
 * Writes a date by a layout: a name, a Go reference layout, strftime or Unicode tokens. They are
 * told apart by their form: strftime has `%`, Go has digits or `Jan`, `Mon` and `MST`.
 */
export function formatDate(date: DateTime, layout: string): string {
  const write = byName.get(layout.toLowerCase());
  if (write) return write(date);
  if (layout.includes('%')) return strftime(date, layout);
  if (/\d|Jan|Mon|MST/.test(layout)) return goLayout(date, layout);
  if (/[a-zA-Z]/.test(layout)) return unicodeTokens(date, layout);
  throw new LayoutError(`is no layout; use a name (${layoutNames.join(', ')}) or a pattern`);
}

/** Chunks of Go's reference time, Mon Jan 2 15:04:05 MST 2006 (package time, format.go). */
const goChunk =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|[-Z]07:00:00|[-Z]070000|[-Z]07:00|[-Z]0700|[-Z]07|[.,](?:0+|9+)(?!\d)|002|__2|_2(?!006)|0[1-6]|15|PM|pm|[1-5]/g;

const goTokens: Record<string, string> = {
  January: 'MMMM',
  Jan: 'MMM',
  Monday: 'cccc',
  Mon: 'ccc',
  '2006': 'yyyy',
  '06': 'yy',
  '01': 'MM',
  '1': 'M',
  '02': 'dd',
  '2': 'd',
  '002': 'ooo',
  '15': 'HH',
  '03': 'hh',
  '3': 'h',
  '04': 'mm',
  '4': 'm',
  '05': 'ss',
  '5': 's',
  PM: 'a',
};

function goLayout(date: DateTime, layout: string): string {
  return layout.replace(goChunk, (chunk) => {
    const token = goTokens[chunk];
    if (token) return date.toFormat(token);
    if (chunk === 'MST') return abbreviation(date);
    if (chunk === 'pm') return date.toFormat('a').toLowerCase();
    if (chunk === '_2') return date.toFormat('d').padStart(2);
    if (chunk === '__2') return date.toFormat('o').padStart(3);
    if (/^[.,]/.test(chunk)) return fraction(date, chunk);
    return offset(date, chunk);
  });
}

/** `UTC`, `EST`; for a zone without an abbreviation its offset, as Go does. */
function abbreviation(date: DateTime): string {
  const name = date.toFormat('ZZZZ');
  return /\d/.test(name) ? date.toFormat('ZZZ') : name;
}

/** `.000` is always three digits, `.999` drops zeros at the end. */
function fraction(date: DateTime, chunk: string): string {
  const digits = String(date.millisecond)
    .padStart(3, '0')
    .padEnd(chunk.length - 1, '0');
  const wanted = digits.slice(0, chunk.length - 1);
  if (chunk[1] === '0') return chunk[0] + wanted;
  const trimmed = wanted.replace(/(?<!0)0+$/, '');
  return trimmed && chunk[0] + trimmed;
}

/** `-07:00` and its kin; with `Z` in front UTC is just `Z`. */
function offset(date: DateTime, chunk: string): string {
  if (chunk.startsWith('Z') && date.offset === 0) return 'Z';
  const seconds = chunk.endsWith(':00:00') ? ':00' : chunk.endsWith('0000') ? '00' : '';
  if (chunk.length === 3) return date.toFormat('ZZZ').slice(0, 3);
  return date.toFormat(chunk.includes(':') ? 'ZZ' : 'ZZZ') + seconds;
}

/** Conversions of strftime (POSIX.1-2024, and %f %L %N of other languages) in the C locale. */
const strftimeTokens: Record<string, string | ((date: DateTime) => string)> = {
  Y: 'yyyy',
  C: (date) => String(Math.floor(date.year / 100)).padStart(2, '0'),
  y: 'yy',
  m: 'MM',
  B: 'MMMM',
  b: 'MMM',
  h: 'MMM',
  d: 'dd',
  e: (date) => date.toFormat('d').padStart(2),
  j: 'ooo',
  H: 'HH',
  k: (date) => date.toFormat('H').padStart(2),
  I: 'hh',
  l: (date) => date.toFormat('h').padStart(2),
  M: 'mm',
  S: 'ss',
  p: 'a',
  P: (date) => date.toFormat('a').toLowerCase(),
  L: 'SSS',
  f: (date) => `${date.toFormat('SSS')}000`,
  N: (date) => `${date.toFormat('SSS')}000000`,
  z: 'ZZZ',
  Z: abbreviation,
  A: 'cccc',
  a: 'ccc',
  u: (date) => String(date.weekday),
  w: (date) => String(date.weekday % 7),
  V: 'WW',
  G: 'kkkk',
  g: 'kk',
  U: (date) => week(date, date.weekday % 7),
  W: (date) => week(date, date.weekday - 1),
  s: (date) => String(Math.floor(date.toSeconds())),
  D: 'MM/dd/yy',
  F: 'yyyy-MM-dd',
  T: 'HH:mm:ss',
  R: 'HH:mm',
  r: 'hh:mm:ss a',
  c: (date) => strftime(date, '%a %b %e %H:%M:%S %Y'),
  x: 'MM/dd/yy',
  X: 'HH:mm:ss',
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

/** Week of the year, counting from the first day of weeks; `day` is 0 on that day. */
const week = (date: DateTime, day: number) =>
  String(Math.floor((date.ordinal + 6 - day) / 7)).padStart(2, '0');

function strftime(date: DateTime, layout: string): string {
  return layout.replace(/%([-_0^]?)([\s\S]?)/g, (whole, flag: string, letter: string) => {
    const token = strftimeTokens[letter];
    if (!token) throw new LayoutError(`has ${whole}, which strftime does not know`);
    const text = typeof token === 'string' ? date.toFormat(token) : token(date);
    if (flag === '-') return text.replace(/^[0 ]+(?=.)/, '');
    if (flag === '_') return text.replace(/^0+(?=.)/, (zeros) => ' '.repeat(zeros.length));
    return flag === '^' ? text.toUpperCase() : text;
  });
}

/** Unicode's date field symbols (UTS #35), and what moment.js writes in their place. */
function unicodeTokens(date: DateTime, layout: string): string {
  const tokens = /YYYY|DD/.test(layout) ? fromMoment(layout) : layout;
  const zoned = tokens.replace(/'[^']*'|X{1,3}|x{1,3}/g, (token) =>
    token.startsWith("'") ? token : offsetToken(date, token),
  );
  return date.toFormat(zoned, { locale: 'en-US' });
}

/** UTS #35: X is +01 or Z, XX +0100, XXX +01:00; small letters never write Z. */
function offsetToken(date: DateTime, token: string): string {
  if (token.startsWith('X') && date.offset === 0) return "'Z'";
  if (token.length === 1) return `'${date.toFormat('ZZZ').slice(0, 3)}'`;
  return token.length === 2 ? 'ZZZ' : 'ZZ';
}

const momentTokens: Record<string, string> = {
  YYYY: 'yyyy',
  YY: 'yy',
  DD: 'dd',
  D: 'd',
  dddd: 'EEEE',
  ddd: 'EEE',
  A: 'a',
  Z: 'ZZ',
  ZZ: 'ZZZ',
};

const fromMoment = (layout: string) =>
  layout.replace(/YYYY|YY|DD|D|dddd|ddd|A|ZZ|Z/g, (token) => momentTokens[token]!);
