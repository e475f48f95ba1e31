import { DateTime, IANAZone, Info, type DateTimeOptions } from 'luxon';

export interface ParseOptions {
  /** Zone of a text that names none. */
  zone: string;
  /** Whether `03/04/2024` is 3 April; undefined when the caller did not say. */
  dayFirst: boolean | undefined;
}

/** Why a date cannot be read, in words for the caller. */
export class DateError extends Error {}

/** Texts without a zone are read in this very one, by which they are told from those with their own. */
const unzoned = new IANAZone('Etc/UTC');
const read: DateTimeOptions = { zone: unzoned, setZone: true, locale: 'en-US' };

/**
 * Reads a date in any of the forms that the API takes. Throws DateError.
 *
 * Luxon reads the text; a local time is then placed on its zone's clock here, because Luxon lets
 * today's offset decide which of two it takes.
 */
export function parseDate(value: string | number, options: ParseOptions): DateTime {
  if (typeof value === 'number') return fromUnix(value, options.zone);
  const text = value.trim();
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text) && !isBasicDate(text)) {
    return fromUnix(Number(text), options.zone);
  }
  if (text.toLowerCase() === 'now') return DateTime.now().setZone(options.zone);
  const [leapless, seconds] = withoutLeapSecond(text);
  const date = fromText(leapless, options);
  if (!date) throw new DateError('is not a date in any form that is known');
  const placed = date.zone === unzoned ? onClock(date, options.zone) : date;
  const moment = placed.zoneName === 'UTC' ? placed.toUTC() : placed;
  return seconds === 0 ? moment : moment.plus({ seconds });
}

/** A year (`2024`) or a basic date (`20240305`), where a timestamp would be of the early seventies. */
const isBasicDate = (text: string) => /^(?:19|20)\d\d(?:(?:0\d|1[0-2])[0-3]\d)?$/.test(text);

/** Seconds, milliseconds or microseconds since 1970, told apart by their size. */
function fromUnix(number: number, zone: string): DateTime {
  const size = Math.abs(number);
  const unit = size < 1e11 ? 1000 : size < 1e14 ? 1 : 1e-3;
  const date = DateTime.fromMillis(Math.floor(number * unit), { zone });
  if (!date.isValid) throw new DateError('is out of range for a Unix timestamp');
  return date;
}

/** 23:59:60 is read as the second after 23:59:59. */
function withoutLeapSecond(text: string): [string, number] {
  const without = text.replace(/(:[0-5]\d):60(?!\d)/, '$1:59');
  return [without, without === text ? 0 : 1];
}

/**
 * The moment of a local time: in a gap of the clock it moves forward by the gap, and of two equal
 * ones it is the first (the rule that Temporal calls "compatible").
 */
function onClock(local: DateTime, zoneName: string): DateTime {
  const zone = Info.normalizeZone(zoneName);
  const wall = local.toMillis();
  const day = 86_400_000;
  const at = (offset: number) => wall - offset * 60_000;
  const [before, after] = [zone.offset(wall - day), zone.offset(wall + day)];
  const fits = [before, after].find((offset) => zone.offset(at(offset)) === offset);
  return DateTime.fromMillis(at(fits ?? before), { zone });
}

function fromText(text: string, options: ParseOptions): DateTime | undefined {
  const readers = [
    () => (/^T?\d{1,2}:/i.test(text) ? undefined : DateTime.fromISO(inCapitals(text), read)),
    () => DateTime.fromRFC2822(text, read),
    () => DateTime.fromHTTP(text, read),
    () => (/^\d{4}-/.test(text) ? DateTime.fromSQL(text, read) : undefined),
    () => numericDate(text, options.dayFirst),
    () => humanDate(text),
  ];
  for (const reader of readers) {
    const date = reader();
    if (date?.isValid) return date;
  }
  return undefined;
}

/** ISO 8601 lets letters be small; but not the zone behind them (RFC 9557). */
const inCapitals = (text: string) => text.replace(/^[^[]+/, (date) => date.toUpperCase());

const dates = ['MMMM d yyyy', 'd MMMM yyyy', 'd-MMMM-yyyy', 'yyyy MMMM d', 'd MMMM yy'].flatMap(
  (date) => [date, date.replace('MMMM', 'MMM')],
);
const digitDates = ['yyyy-M-d', 'yyyy/M/d', 'yyyy.M.d', 'd.M.yyyy'];
/** Forms with the year last: ctime, date(1), git and JavaScript. */
const yearLast = ['MMM d H:mm:ss yyyy', 'MMM d H:mm:ss z yyyy', 'MMM d H:mm:ss yyyy ZZZ'];

const weekday = /^(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\.?,?\s+/i;

/** What people write: `March 5, 2024 3:04 PM`, `5th of Mar 2024`, `Tue Mar 5 15:04:05 2024`. */
function humanDate(text: string): DateTime | undefined {
  const plain = text
    .replace(weekday, '')
    .replace(/\s*\([^)]*\)$/, '')
    .replace(/\b(?:GMT|UTC)(?=[+-]\d)/i, '')
    .replace(/\s*(?:\bUTC|\bGMT|(?<=\d)Z)$/i, ' +00:00')
    .replace(/(\d)(?:st|nd|rd|th)\b/i, '$1')
    .replace(/\bsept\b/i, 'Sep')
    .replace(/([ap])\.m\./i, '$1m')
    .replace(/,|\bof\b|\bat\b/gi, ' ')
    .replace(/(?<=\d)T(?=\d)/, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return (
    firstMatch(plain, yearLast) ?? firstMatch(plain, withTime(plain, [...dates, ...digitDates]))
  );
}

/** `3/4/2024`: who comes first is only ever known, never guessed. */
function numericDate(text: string, dayFirst: boolean | undefined): DateTime | undefined {
  const [, first, second] = /^(\d{1,2})[/-](\d{1,2})[/-]\d{4}(?!\d)/.exec(text)?.map(Number) ?? [];
  if (first === undefined || second === undefined) return undefined;
  if (dayFirst === undefined && first <= 12 && second <= 12 && first !== second) {
    throw new DateError('may be day/month or month/day; set options.day_first or write YYYY-MM-DD');
  }
  const slashed = text.replace(/^(\d+)-(\d+)-/, '$1/$2/').replace(/(?<=\d)T(?=\d)/, ' ');
  const date = (dayFirst ?? first > 12) ? 'd/M/yyyy' : 'M/d/yyyy';
  return firstMatch(slashed, withTime(slashed, [date]));
}

const timeShape =
  /(?<hour> \d{1,2})(?:(?<minute>:\d\d)(?<second>:\d\d)?(?<fraction>\.\d+)?)?(?<half> ?[ap]m)?(?<zone> ?(?:[+-]\d\d(?::?\d\d)?|[A-Za-z]+\/[\w/+-]+))?$/i;

/** The formats with the time and zone that the text ends with, if it does. */
function withTime(text: string, formats: string[]): string[] {
  const { minute, second, fraction, half, zone } = timeShape.exec(text)?.groups ?? {};
  if (minute === undefined && half === undefined) return formats;
  const time = [
    half ? ' h' : ' H',
    minute && ':mm',
    second && ':ss',
    fraction && '.u',
    half?.replace(/[ap]m/i, 'a'),
    zone?.replace(/\S+/, zoneToken),
  ];
  return formats.map((format) => format + time.join(''));
}

const zoneToken = (zone: string) => {
  if (!/^[+-]/.test(zone)) return 'z';
  if (zone.includes(':')) return 'ZZ';
  return zone.length === 3 ? 'Z' : 'ZZZ';
};

function firstMatch(text: string, formats: string[]): DateTime | undefined {
  for (const format of formats) {
    const date = DateTime.fromFormatParser(text, parserOf(format), read);
    if (date.isValid) return date;
  }
  return undefined;
}

type Parser = ReturnType<typeof DateTime.buildFormatParser>;

/** By format, of which there are some hundreds; each takes as long to make as to read ten dates. */
const parsers = new Map<string, Parser>();

function parserOf(format: string): Parser {
  const known = parsers.get(format) ?? DateTime.buildFormatParser(format, { locale: 'en-US' });
  parsers.set(format, known);
  return known;
}
