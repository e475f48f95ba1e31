import { abbreviationHours, isAbbreviation, timeZone, timeZoneFault } from '../timezone.ts';
import { DateError, type Clock, type Written, type WrittenZone } from './place.ts';

const monthNames =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Monday to Sunday in English, Japanese, Chinese and Korean. */
const days = [
  'mon月一월',
  'tue火二화',
  'wed水三수',
  'thu木四목',
  'fri金五금',
  'sat土六토',
  'sun日天일',
];

const month = `(?<name>${monthNames})(?![a-z])\\.?`;
const day = String.raw`(?<d>\d{1,2})(?:st|nd|rd|th)?`;
/** Matches a year, but not the hour of a clock time. */
const year = String.raw`(?<y>\d{4}(?!\d)|'?\d\d(?!\d|:| ?[ap]\.?m\b))`;
const clockAhead = String.raw`(?=,?\s+(?:at\s+)?\d{1,2}(?::\d|\s?[ap]\.?m))`;

/**
 * Patterns of dates. The first pattern that matches is used. Named groups are the parts: year, month, day,
 * ordinal, week and day of the week. The groups a, b and c are numbers whose order is ambiguous.
 */
const dateForms = [
  // ISO 8601: week, ordinal and basic dates.
  String.raw`(?<y>\d{4})-?W(?<w>\d\d)(?:-?(?<k>\d))?(?![\d-])`,
  String.raw`(?<y>\d{4})-(?<o>\d{3})(?!\d)`,
  String.raw`(?<y>\d{4})(?<o>\d{3})(?=T|$)`,
  String.raw`(?<y>\d{4})(?<m>\d\d)(?<d>\d\d)(?!\d)`,
  // 2024-03-05, 2024/3/5, 2024.3.5, EXIF's 2014:04:08, and 2024. 3. 5. as in Korea.
  String.raw`(?<y>[+-]\d{6}|\d{4})(?<s>[-/.: ])(?<m>\d{1,2})\k<s>(?<d>\d{1,2})(?!\d)`,
  String.raw`(?<y>\d{4})\. (?<m>\d{1,2})\. (?<d>\d{1,2})\.?(?!\d)`,
  String.raw`(?<y>\d{4})\s?[年년]\s?(?<m>\d{1,2})\s?[月월]\s?(?<d>\d{1,2})\s?[日일号號]`,
  String.raw`(?<y>\d{4})[-/.](?<m>\d{1,2})$`,
  String.raw`(?<y>\d{4})$`,
  // MySQL's log: 171113 14:14:20.
  String.raw`(?<y>\d\d)(?<m>\d\d)(?<d>\d\d)(?=\s+\d{1,2}:)`,
  // With the name of the month.
  String.raw`${month}[-/.\s]*${day}(?:\s*,\s*|[-/.\s]+)${year}`,
  String.raw`${month}\s*${day}${clockAhead}`,
  String.raw`${day}\.?(?:\s+of)?[-/,.\s]*${month}[-/,.\s]*${year}`,
  String.raw`${day}\.?(?:\s+of)?\s*${month}${clockAhead}`,
  String.raw`(?<y>\d{4})[-/,.\s]*${month}[-/,.\s]*${day}(?!\d)`,
  String.raw`${month},?\s+(?<y>\d{4})$`,
  // 3/31/2014, 8/1/71, 31.3.2014.
  String.raw`(?<a>\d{1,2})(?<s>[-/.: ])\s?(?<b>\d{1,2})\k<s>\s?(?<c>\d{4})(?!\d)`,
  String.raw`(?<a>\d{1,2})(?<s>[-/.])(?<b>\d{1,2})\k<s>(?<c>\d\d)(?!\d)`,
].map(sticky);

const half = String.raw`(?<half>[ap])\.?\s?m\b\.?`;
const clockForms = [
  String.raw`(?:(?<am>午前|上午|오전)|(?<pm>午後|下午|오후))?\s?(?<h>\d{1,2}):(?<i>\d{1,2})(?::(?<s>\d{1,2})(?:[.,:](?<f>\d+))?)?(?!\d|:)(?:\s?${half})?`,
  String.raw`(?<h>\d{1,2})\s?${half}`,
  String.raw`(?:(?<am>午前|上午|오전)|(?<pm>午後|下午|오후))?\s?(?<h>\d{1,2})\s?[時时點点시](?:\s?(?<i>\d{1,2})\s?[分분](?:\s?(?<s>\d{1,2})\s?[秒초])?)?`,
].map(sticky);
/** A clock time after a T, in which the colons are optional. */
const basicClock = sticky(
  String.raw`(?<h>\d\d)(?:(?<i>\d\d)(?:(?<s>\d\d)(?:[.,](?<f>\d+))?)?)?(?!\d|:)`,
);

const offset = String.raw`(?<offset>[-+](?:\d\d(?::?\d\d(?::?\d\d)?)?|\d(?::\d\d)?))(?![\d:])`;
const bracket = sticky(String.raw`\[(?<critical>!?)(?<content>[^\]]+)\]`);
const ianaName = sticky(String.raw`(?<name>[a-z]\w*(?:\/[\w+-]+)+)`);
const zoneOffset = sticky(`(?<abbreviation>[a-z]{1,5})?${offset}`);
const zoneWord = sticky('(?<abbreviation>[a-z]{1,12})(?![a-z])');
/** The reading of the monotonic clock, with which Go's Time.String() ends. */
const monotonicClock = sticky(String.raw`m=[-+]\d+\.\d+$`);
const comment = sticky(String.raw`\([^()]*\)`);
const weekday = sticky(
  '(?:(?<day>mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs?|ur)?(?:day)?(?![a-z])\\.?|(?:星期|周|週)?(?<sign>[月火水木金土日一二三四五六天월화수목금토일])(?:曜日?|요일)?)',
);
const lastYear = sticky(String.raw`(?<y>\d{4})(?!\d|:)`);
const separator = sticky(String.raw`(?:[\s,_]|\s[-–—|]\s)+|[()]|(?:at|on)(?![a-z])`);
const beforeClock = sticky(String.raw`[T:](?=\d)`);

function sticky(source: string): RegExp {
  return new RegExp(source, 'iy');
}

type Groups = Record<string, string | undefined>;
type DateParts = Pick<Written, 'month' | 'day' | 'ordinal' | 'week' | 'weekDay'> & {
  year?: number;
};

/** The rest of a text, and the parts of a date found so far. */
interface Reading {
  text: string;
  at: number;
  /** Whether `03/04/2024` is 3 April; undefined if the caller did not choose. */
  dayFirst: boolean | undefined;
  date?: DateParts;
  clock?: Clock;
  dayName?: number;
  zone?: WrittenZone;
}

/**
 * Parses a date with optional weekday, time of day, zone and comment. Each part may occur once, in any order.
 *
 * @throws DateError that names the wrong part
 */
export function readText(text: string, dayFirst: boolean | undefined): Written {
  const reading: Reading = { text, at: 0, dayFirst };
  while (reading.at < text.length) {
    if (!readers.some((read) => read(reading))) throw unread(reading);
  }
  const { date, clock, dayName, zone } = reading;
  if (!date) throw unread({ ...reading, at: 0 });
  const { year, ...parts } = date;
  if (year === undefined) throw new DateError('has no year');
  const wholeDay = [parts.day, parts.ordinal, parts.week].some((part) => part !== undefined);
  if (clock && !wholeDay) throw new DateError('has a time, but no day');
  return { year, ...parts, ...defined({ clock, dayName, zone }) };
}

const defined = <T extends object>(parts: T) =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

const hint = 'write it like 2024-03-05T15:04:05+01:00 or March 5, 2024 3:04 PM';

function unread({ text, at, clock }: Reading): DateError {
  if (at > 0) return new DateError(`has "${text.slice(at)}", which cannot be read; ${hint}`);
  return new DateError(
    clock ? `has a time, but no date; ${hint}` : `is not a date in any form that is known; ${hint}`,
  );
}

const readers = [
  readComment,
  readSeparator,
  readDate,
  readClock,
  readLastYear,
  readWeekday,
  readBracket,
  readZone,
];

/** Removes the beginning of the text if it matches a pattern, and returns the groups. */
function take(reading: Reading, form: RegExp): Groups | undefined {
  form.lastIndex = reading.at;
  const match = form.exec(reading.text);
  if (!match) return undefined;
  reading.at = form.lastIndex;
  return match.groups ?? {};
}

function takeFirst(reading: Reading, forms: RegExp[]): Groups | undefined {
  for (const form of forms) {
    const groups = take(reading, form);
    if (groups) return groups;
  }
  return undefined;
}

/** Skips a comment after a zone, such as (Central European Standard Time). */
function readComment(reading: Reading): boolean {
  return reading.zone !== undefined && take(reading, comment) !== undefined;
}

function readSeparator(reading: Reading): boolean {
  return take(reading, separator) !== undefined;
}

function readDate(reading: Reading): boolean {
  if (reading.date) return false;
  const groups = takeFirst(reading, dateForms);
  if (!groups) return false;
  reading.date = groups.a === undefined ? dateOf(groups) : inOrder(groups, reading.dayFirst);
  const marker = reading.text[reading.at];
  if (reading.clock || !take(reading, beforeClock)) return true;
  readClock(reading);
  if (!reading.clock && marker !== ':') reading.clock = clockOf(take(reading, basicClock));
  return true;
}

function dateOf({ y, m, name, d, o, w, k }: Groups): DateParts {
  return defined({
    year: y === undefined ? undefined : fullYear(y),
    month: name ? months.indexOf(name.slice(0, 3).toLowerCase()) + 1 : numberOf(m),
    day: numberOf(d),
    ordinal: numberOf(o),
    week: numberOf(w),
    weekDay: numberOf(k),
  });
}

const numberOf = (digits: string | undefined) =>
  digits === undefined ? undefined : Number(digits);

/** Returns the year of two digits, from 1969 to 2068 as in strptime (POSIX). */
function fullYear(digits: string): number {
  const year = Number(digits.replace("'", ''));
  if (digits.length > 3) return year;
  return year + (year < 69 ? 2000 : 1900);
}

/**
 * Returns the parts of a date such as `3/4/2024`. The order is never guessed. With dots the day is first, as
 * in all regions of CLDR that write dates with dots.
 */
function inOrder({ a, b, c, s }: Groups, dayFirst: boolean | undefined): DateParts {
  const dayMonth = { year: fullYear(c!), month: Number(b), day: Number(a) };
  const monthDay = { year: fullYear(c!), month: Number(a), day: Number(b) };
  if (dayFirst !== undefined) return dayFirst ? dayMonth : monthDay;
  if (s === '.') return isDate(dayMonth) || !isDate(monthDay) ? dayMonth : monthDay;
  const readings = [dayMonth, monthDay];
  if (c!.length === 2) readings.push({ year: fullYear(a!), month: Number(b), day: Number(c) });
  const [first, ...others] = readings.filter(isDate);
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first))) {
    const orders = `day/month or month/day${c!.length === 2 ? ', or begin with the year' : ''}`;
    throw new DateError(`may be ${orders}; set options.day_first or write YYYY-MM-DD`);
  }
  return first ?? (Number(a) > 12 ? dayMonth : monthDay);
}

const isDate = ({ month, day }: { month: number; day: number }) =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31;

function readClock(reading: Reading): boolean {
  if (reading.clock) return false;
  const groups = takeFirst(reading, clockForms);
  if (groups) reading.clock = clockOf(groups);
  return groups !== undefined;
}

function clockOf(groups: Groups | undefined): Clock {
  if (!groups) throw new DateError(`has no time after the T; ${hint}`);
  const { h, i, s, f = '', half, am, pm } = groups;
  const clock = { hour: Number(h), minute: Number(i ?? 0), second: Number(s ?? 0), fraction: f };
  if (half === undefined && am === undefined && pm === undefined) return clock;
  return { ...clock, half: pm || half?.toLowerCase() === 'p' ? 'pm' : 'am' };
}

/** Reads a year at the end, where ctime, date(1) and git write it. */
function readLastYear(reading: Reading): boolean {
  if (!reading.date || reading.date.year !== undefined) return false;
  const groups = take(reading, lastYear);
  if (groups) reading.date = { ...reading.date, year: Number(groups.y) };
  return groups !== undefined;
}

function readWeekday(reading: Reading): boolean {
  if (reading.dayName !== undefined) return false;
  const groups = take(reading, weekday);
  if (!groups) return false;
  const name = (groups.day ?? groups.sign!).toLowerCase();
  reading.dayName = days.findIndex((names) => names.includes(name)) + 1;
  return true;
}

/** Reads a tag of RFC 9557: `[Europe/Berlin]`, `[u-ca=gregory]`. A tag with `!` must not be ignored. */
function readBracket(reading: Reading): boolean {
  const { critical, content } = (reading.date && take(reading, bracket)) ?? {};
  if (content === undefined) return false;
  if (content.includes('=')) {
    if (critical && !/^u-ca=(?:iso8601|gregory)$/.test(content)) {
      throw new DateError(`has [!${content}], which is not supported`);
    }
  } else if (/^[-+]/.test(content)) {
    setOffset(reading, content);
  } else {
    setZoneName(reading, content);
  }
  return true;
}

function readZone(reading: Reading): boolean {
  if (!reading.date && !reading.clock) return false;
  if (take(reading, monotonicClock)) return true;
  const name = take(reading, ianaName)?.name;
  if (name !== undefined) return setZoneName(reading, name);
  const { abbreviation, offset } = takeFirst(reading, [zoneOffset, zoneWord]) ?? {};
  if (offset !== undefined) setOffset(reading, offset);
  if (abbreviation === undefined) return offset !== undefined;
  // In UTC+1 and GMT+1 the letters are the base of the offset.
  if (offset !== undefined && /^(?:UTC?|GMT)$/i.test(abbreviation)) return true;
  return setAbbreviation(reading, abbreviation);
}

function setZoneName(reading: Reading, name: string): true {
  if (reading.zone?.name !== undefined && reading.zone.name !== name) {
    throw new DateError(`has two zones, ${reading.zone.name} and ${name}`);
  }
  reading.zone = { ...reading.zone, name };
  return true;
}

function setOffset(reading: Reading, text: string) {
  const [hours = 0, minutes = 0, seconds = 0] = text.match(/\d\d?/g)!.map(Number);
  if (hours > 23 || minutes > 59 || seconds > 59) {
    throw new DateError(`has the offset ${text}; offsets go from -23:59 to +23:59`);
  }
  const size = hours * 3600 + minutes * 60 + seconds;
  const offset = text.startsWith('-') ? -size : size;
  const known = reading.zone?.offset;
  if (known !== undefined && known !== offset) throw new DateError('has two offsets that differ');
  reading.zone = {
    ...reading.zone,
    ...(size === 0 && text.startsWith('-') ? { unknownOffset: true } : { offset }),
  };
}

/** Sets the zone. After an offset, an abbreviation is ignored, as in Go's `+0300 MSK`. */
function setAbbreviation(reading: Reading, name: string): true {
  const hours = abbreviationHours(name);
  const offset = reading.zone?.offset;
  if (hours === undefined) {
    if (offset !== undefined) return true;
    if (isAbbreviation(name) || timeZone(name) === undefined) {
      throw new DateError(`has a zone that is not known: ${timeZoneFault(name)}`);
    }
    return setZoneName(reading, name);
  }
  if (offset !== undefined && offset !== hours * 3600) {
    throw new DateError(`has an offset that is not that of ${name.toUpperCase()}`);
  }
  const unknownOffset = name.toUpperCase() === 'Z';
  reading.zone = {
    ...reading.zone,
    ...(unknownOffset ? { unknownOffset } : { offset: hours * 3600 }),
  };
  return true;
}
