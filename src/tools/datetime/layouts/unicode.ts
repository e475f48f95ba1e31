import type { DateTime } from 'luxon';
import { fractionOf, offsetSeconds, offsetText, type ZonedTime } from '../zoned-time.ts';
import { abbreviation } from './abbreviation.ts';
import { LayoutError } from './layout-error.ts';
import { pad, twoDigits } from './pad.ts';

type Token = (time: ZonedTime, length: number) => string | undefined;

/** A number, padded with zeros to the length of the token. @param most largest length of the token */
const number =
  (most: number, value: (date: DateTime) => number): Token =>
  ({ date }, length) =>
    length > most ? undefined : pad(value(date), length);

/** A year. A token of two letters is its last two digits. */
const year =
  (value: (date: DateTime) => number): Token =>
  ({ date }, length) =>
    length === 2 ? twoDigits(value(date)) : pad(value(date), length);

/** A name in the style that `names` has for the length of the token. Shorter tokens are numbers. */
const name =
  (number: (date: DateTime) => number, names: Record<number, Intl.DateTimeFormatOptions>): Token =>
  ({ date }, length) => {
    const options = names[length];
    return options
      ? date.toLocaleString(options)
      : length <= 2
        ? pad(number(date), length)
        : undefined;
  };

const monthName = name((date) => date.month, {
  3: { month: 'short' },
  4: { month: 'long' },
  5: { month: 'narrow' },
});
const shortDay = { weekday: 'short' } as const;
const dayNames = { 4: { weekday: 'long' }, 5: { weekday: 'narrow' } } as const;
const localDay = name((date) => date.weekday, { 3: shortDay, ...dayNames });

const eras = [
  ['BC', 'Before Christ', 'B'],
  ['AD', 'Anno Domini', 'A'],
];
const quarters = ['1st', '2nd', '3rd', '4th'];

const quarter: Token = ({ date: { quarter } }, length) =>
  [`${quarter}`, `0${quarter}`, `Q${quarter}`, `${quarters[quarter - 1]} quarter`, `${quarter}`][
    length - 1
  ];

/** AM and PM. `b` also has noon and midnight, `B` the other times of the day. */
const dayPeriod =
  (period: (time: ZonedTime) => string | undefined): Token =>
  (time, length) => {
    const half = time.date.hour < 12 ? 'AM' : 'PM';
    if (length > 5) return undefined;
    return period(time) ?? (length === 5 ? half[0]!.toLowerCase() : half);
  };

const noonOrMidnight = ({ date }: ZonedTime) =>
  date.minute || date.second || date.hour % 12 ? undefined : date.hour ? 'noon' : 'midnight';

const partOfDay = (time: ZonedTime) =>
  noonOrMidnight(time) ??
  new Intl.DateTimeFormat('en-US', { hour: 'numeric', dayPeriod: 'long', timeZone: 'UTC' })
    .formatToParts(Date.UTC(2000, 0, 1, time.date.hour))
    .find(({ type }) => type === 'dayPeriod')?.value;

/** An offset by `Z`: `+0100`; with four letters GMT+01:00, with five +01:00 or Z. */
const zoneOffset: Token = (time, length) =>
  [...Array<string>(3).fill(offsetText(time, '')), gmt(time, true), isoOffset(time, 5, true)][
    length - 1
  ];

/** An offset by X (+01), XX or XXXX (+0100), XXX or XXXXX (+01:00). UTC is Z, and +00 by small letters. */
function isoOffset(time: ZonedTime, length: number, capital: boolean): string | undefined {
  if (length > 5) return undefined;
  if (capital && offsetSeconds(time) === 0) return 'Z';
  const text = offsetText(time, length % 2 ? ':' : '');
  return length === 1 ? text.replace(/:00$/, '').replace(':', '') : text;
}

function gmt(time: ZonedTime, long: boolean): string {
  if (offsetSeconds(time) === 0) return 'GMT';
  const text = `GMT${offsetText(time, ':')}`;
  return long ? text : text.replace(/:00$/, '').replace(/([+-])0/, '$1');
}

/** Returns the English name of a zone, such as Central European Standard Time. */
function zoneName(time: ZonedTime, timeZoneName: ZoneNameFormat): string | undefined {
  const { date } = time;
  const isOffset = date.zone.isUniversal && date.offset !== 0;
  if (isOffset) return gmt(time, timeZoneName.startsWith('long'));
  return new Intl.DateTimeFormat('en-US', { timeZone: date.zoneName!, timeZoneName })
    .formatToParts(date.toMillis())
    .find(({ type }) => type === 'timeZoneName')?.value;
}

type ZoneNameFormat = 'long' | 'shortGeneric' | 'longGeneric';

/** Unicode's date field symbols (UTS #35, part 4), in English, with the weeks of ISO 8601. */
const tokens: Record<string, Token> = {
  G: ({ date }, length) => eras[date.year > 0 ? 1 : 0]![length < 4 ? 0 : length - 3],
  y: year(({ year }) => (year > 0 ? year : 1 - year)),
  u: year(({ year }) => year),
  r: number(9, ({ year }) => year),
  Y: year(({ weekYear }) => weekYear),
  Q: quarter,
  q: quarter,
  M: monthName,
  L: monthName,
  w: number(2, ({ weekNumber }) => weekNumber),
  W: (time, length) =>
    length === 1
      ? String(weekOfMonth(time.date))
      : number(2, ({ weekNumber }) => weekNumber)(time, length),
  d: number(2, ({ day }) => day),
  D: number(3, ({ ordinal }) => ordinal),
  F: number(1, ({ day }) => Math.ceil(day / 7)),
  g: number(9, modifiedJulianDay),
  E: (time, length) => localDay(time, Math.max(length, 3)) ?? twoLetters(time, length),
  e: (time, length) => localDay(time, length) ?? twoLetters(time, length),
  c: (time, length) =>
    length === 2 ? undefined : (localDay(time, length) ?? twoLetters(time, length)),
  a: dayPeriod(() => undefined),
  b: dayPeriod(noonOrMidnight),
  B: dayPeriod(partOfDay),
  h: number(2, ({ hour }) => hour % 12 || 12),
  H: number(2, ({ hour }) => hour),
  K: number(2, ({ hour }) => hour % 12),
  k: number(2, ({ hour }) => hour || 24),
  m: number(2, ({ minute }) => minute),
  s: number(2, ({ second }) => second),
  S: (time, length) => fractionOf(time).padEnd(length, '0').slice(0, length),
  A: number(9, ({ hour, minute, second, millisecond }) => {
    return ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
  }),
  z: (time, length) =>
    length < 4 ? abbreviation(time) : length === 4 ? zoneName(time, 'long') : undefined,
  Z: zoneOffset,
  O: (time, length) => (length === 1 || length === 4 ? gmt(time, length === 4) : undefined),
  v: (time, length) =>
    ({ 1: zoneName(time, 'shortGeneric'), 4: zoneName(time, 'longGeneric') })[length],
  V: ({ date }, length) =>
    length === 2
      ? date.zoneName!
      : length === 3
        ? date.zoneName!.split('/').at(-1)!.replaceAll('_', ' ')
        : undefined,
  X: (time, length) => isoOffset(time, length, true),
  x: (time, length) => isoOffset(time, length, false),
  // The day of the year, a token of Luxon that Unicode does not have.
  o: number(3, ({ ordinal }) => ordinal),
};

const twoLetters: Token = (time, length) =>
  length === 6 ? localDay(time, 3)!.slice(0, 2) : undefined;

const weekOfMonth = (date: DateTime) => {
  const first = date.startOf('month');
  return Math.floor((date.day + first.weekday - 2) / 7) + (first.weekday <= 4 ? 1 : 0);
};

function modifiedJulianDay({ year, month, day }: DateTime): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / 86_400_000 + 40_587;
}

/** Formats a date by Unicode's tokens. Throws LayoutError. */
export function unicodeLayout(time: ZonedTime, layout: string): string {
  return layout.replace(/'((?:[^']|'')*)(')?|([a-zA-Z])\3*/g, (token, quoted, end, letter) => {
    if (letter !== undefined) return written(time, token, letter as string);
    if (end === undefined) throw new LayoutError(`has a quote that does not end: ${token}`);
    return quoted === '' ? "'" : (quoted as string).replaceAll("''", "'");
  });
}

function written(time: ZonedTime, token: string, letter: string): string {
  const text = tokens[letter]?.(time, token.length);
  if (text !== undefined) return text;
  const kind = tokens[letter] ? `has ${token}` : `has the letter ${letter}`;
  throw new LayoutError(`${kind}, which is no Unicode token; text stands in quotes, like 'at'`);
}
