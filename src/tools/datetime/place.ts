import { FixedOffsetZone, IANAZone, Info, type Zone } from 'luxon';
import { abbreviationHours, timeZone, timeZoneFault } from '../timezone.ts';
import { zonedTime, type ZonedTime } from './zoned-time.ts';

/** Why a date cannot be read, in words for the caller, to stand behind the quoted date. */
export class DateError extends Error {}

/** The parts of a date as they were written. */
export interface Written {
  year: number;
  month?: number;
  day?: number;
  /** Day of the year. */
  ordinal?: number;
  /** ISO 8601 week, and its day, of which Monday is 1. */
  week?: number;
  weekDay?: number;
  /** Name of the day of the week, of which Monday is 1. */
  dayName?: number;
  clock?: Clock;
  zone?: WrittenZone;
}

export interface Clock {
  hour: number;
  minute: number;
  second: number;
  /** Digits behind the second. */
  fraction: string;
  half?: 'am' | 'pm';
}

export interface WrittenZone {
  /** Seconds east of UTC. */
  offset?: number;
  /** `Z` and `-00:00`: the moment is known, and the offset of its place is not (RFC 9557, section 2). */
  unknownOffset?: boolean;
  /** An IANA zone, or an abbreviation of RFC 2822. */
  name?: string;
}

const midnight: Clock = { hour: 0, minute: 0, second: 0, fraction: '' };
const dayNanoseconds = 86_400_000_000_000n;
const second = 1_000_000_000n;
/** A day less than 100,000,000 days, which is where JavaScript's dates end. */
const furthest = 99_999_998n * dayNanoseconds;
export const outOfRange = () => new DateError('is out of range: years go from -271821 to 275760');

/**
 * The moment of a written date.
 *
 * @param defaultZone zone of a date that names none
 * @throws DateError naming the part that is wrong
 */
export function place(written: Written, defaultZone: Zone): ZonedTime {
  const day = dayNumber(written);
  checkDayName(written, day);
  const clock = written.clock ?? midnight;
  const leap = clock.second === 60;
  const wall =
    BigInt(day) * dayNanoseconds + nanosecondsOf(leap ? { ...clock, second: 59 } : clock);
  if (wall < -furthest || wall > furthest) throw outOfRange();
  const time = onClock(wall, written.zone ?? {}, defaultZone);
  return leap ? afterLeapSecond(time) : time;
}

/** 23:59:60 UTC is read as the second after 23:59:59. */
function afterLeapSecond(time: ZonedTime): ZonedTime {
  const { hour, minute } = time.date.toUTC();
  if (hour !== 23 || minute !== 59) {
    throw new DateError('has second 60, which only a leap second has (23:59:60 UTC)');
  }
  return { ...time, date: time.date.plus({ seconds: 1 }) };
}

/** Days since 1970. */
function dayNumber(written: Written): number {
  const { year, month = 1, day = 1, ordinal, week, weekDay = 1 } = written;
  const newYear = daysTo(year, 1, 1);
  if (ordinal !== undefined) {
    inRange('day', ordinal, 1, daysTo(year + 1, 1, 1) - newYear, `the days of ${year}`);
    return newYear + ordinal - 1;
  }
  if (week !== undefined) {
    inRange('week', week, 1, (firstWeek(year + 1) - firstWeek(year)) / 7, `the weeks of ${year}`);
    inRange('day of the week', weekDay, 1, 7, 'Monday to Sunday');
    return firstWeek(year) + (week - 1) * 7 + weekDay - 1;
  }
  inRange('month', month, 1, 12, 'January to December');
  const days = daysTo(year, month + 1, 1) - daysTo(year, month, 1);
  inRange('day', day, 1, days, `the days of ${monthNames[month - 1]} ${year}`);
  return daysTo(year, month, day);
}

const monthNames = Info.months('long', { locale: 'en-US' });
const dayNames = Info.weekdays('long', { locale: 'en-US' });

/** Date.UTC would take a year before 100 for one of the 1900s. */
const daysTo = (year: number, month: number, day: number) =>
  new Date(0).setUTCFullYear(year, month - 1, day) / 86_400_000;

/** Day 0 was a Thursday; Monday is 1. */
const weekdayOf = (day: number) => ((((day + 3) % 7) + 7) % 7) + 1;

/** Monday of the week with 4 January. */
const firstWeek = (year: number) => daysTo(year, 1, 4) + 1 - weekdayOf(daysTo(year, 1, 4));

function inRange(part: string, value: number, first: number, last: number, meaning: string) {
  if (Number.isNaN(last)) throw outOfRange();
  if (value >= first && value <= last) return;
  throw new DateError(`has ${part} ${value}, which is not ${first} to ${last} (${meaning})`);
}

function checkDayName({ dayName }: Written, day: number) {
  const actual = weekdayOf(day);
  if (dayName === undefined || dayName === actual) return;
  throw new DateError(
    `has the weekday ${dayNames[dayName - 1]}, but that date is a ${dayNames[actual - 1]}`,
  );
}

function nanosecondsOf({ hour, minute, second: seconds, fraction, half }: Clock): bigint {
  if (half) inRange('hour', hour, 1, 12, 'the hours of AM and PM');
  const all = half ? (hour % 12) + (half === 'pm' ? 12 : 0) : hour;
  const endOfDay = all === 24 && minute === 0 && seconds === 0 && !/[1-9]/.test(fraction);
  inRange('hour', all, 0, endOfDay ? 24 : 23, '24:00 is the end of the day');
  inRange('minute', minute, 0, 59, 'minutes of an hour');
  inRange('second', seconds, 0, 59, 'and 60 for a leap second');
  const whole = BigInt(all * 3600 + minute * 60 + seconds) * second;
  return whole + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/**
 * A clock time in its zone. An offset counts before the zone that stands beside it, and has to be
 * an offset of that zone (RFC 9557, section 3.4).
 */
function onClock(wall: bigint, written: WrittenZone, defaultZone: Zone): ZonedTime {
  const { offset, unknownOffset, name } = written;
  const zone = name === undefined ? undefined : zoneNamed(name);
  if (unknownOffset) return zonedTime(wall, zone ?? FixedOffsetZone.utcInstance);
  if (offset === undefined) return localTime(wall, zone ?? defaultZone);
  const time = zonedTime(
    wall - BigInt(offset) * second,
    zone ?? FixedOffsetZone.instance(offset / 60),
  );
  const actual = Math.round(time.date.offset * 60);
  if (actual !== offset) {
    throw new DateError(
      `has an offset that ${name} does not have at that time; leave one of them out`,
    );
  }
  return time;
}

/** By name: to find out whether a name is a zone takes as long as to read ten dates. */
const zones = new Map<string, Zone>();
const mostZones = 256;

/** The zone that a name in a text or in a field stands for. Throws DateError. */
export function zoneNamed(name: string): Zone {
  const zone = zones.get(name) ?? newZone(name);
  if (zones.size >= mostZones) zones.clear();
  zones.set(name, zone);
  return zone;
}

function newZone(name: string): Zone {
  const hours = abbreviationHours(name);
  if (hours !== undefined) return FixedOffsetZone.instance(hours * 60);
  const known = timeZone(name);
  if (known !== undefined) return new IANAZone(known);
  throw new DateError(`has a zone that is not known: ${timeZoneFault(name)}`);
}

/**
 * The moment of a local time: in a gap of the clock it moves forward by the gap, and of two equal
 * ones it is the first (the rule that Temporal calls "compatible"). Luxon lets today's offset
 * decide which of two it takes.
 */
function localTime(wall: bigint, zone: Zone): ZonedTime {
  const milliseconds = Number(wall / 1_000_000n);
  const offsetAt = (time: number) => zone.offset(time) * 60_000;
  const day = 86_400_000;
  const [before, after] = [offsetAt(milliseconds - day), offsetAt(milliseconds + day)];
  const fits = [before, after].find((offset) => offsetAt(milliseconds - offset) === offset);
  return zonedTime(wall - BigInt(Math.round(fits ?? before)) * 1_000_000n, zone);
}
