import { FixedOffsetZone, IANAZone, Info, type Zone } from 'luxon';
import { abbreviationHours, timeZone, timeZoneFault } from '../timezone.ts';
import { zonedTime, type ZonedTime } from './zoned-time.ts';

/** An invalid date. The message is for the caller, and follows the quoted date. */
export class DateError extends Error {}

/** The parts of a date in a text. */
export interface Written {
  year: number;
  month?: number;
  day?: number;
  /** Day of the year. */
  ordinal?: number;
  /** ISO 8601 week, and the day in it, from 1 for Monday. */
  week?: number;
  weekDay?: number;
  /** Named day of the week, from 1 for Monday. */
  dayName?: number;
  clock?: Clock;
  zone?: WrittenZone;
}

export interface Clock {
  hour: number;
  minute: number;
  second: number;
  /** Digits of the fraction of a second. */
  fraction: string;
  half?: 'am' | 'pm';
}

export interface WrittenZone {
  /** Seconds east of UTC. */
  offset?: number;
  /** Set for `Z` and `-00:00`, by which the local offset is unknown (RFC 9557, section 2). */
  unknownOffset?: boolean;
  /** An IANA zone, or an abbreviation of RFC 2822. */
  name?: string;
}

const midnight: Clock = { hour: 0, minute: 0, second: 0, fraction: '' };
const dayNanoseconds = 86_400_000_000_000n;
const second = 1_000_000_000n;
/** The last day. JavaScript's dates end 100,000,000 days after 1970; one day is left for the zone. */
const furthest = 99_999_998n * dayNanoseconds;
export const outOfRange = () => new DateError('is out of range: years go from -271821 to 275760');

/**
 * Returns the moment of a date.
 *
 * @param defaultZone zone of a date without a zone
 * @throws DateError that names the wrong part
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

/** Returns the second after a leap second's 23:59:59 UTC. */
function afterLeapSecond(time: ZonedTime): ZonedTime {
  const { hour, minute } = time.date.toUTC();
  if (hour !== 23 || minute !== 59) {
    throw new DateError('has second 60, which only a leap second has (23:59:60 UTC)');
  }
  return { ...time, date: time.date.plus({ seconds: 1 }) };
}

/** Returns the days from 1 January 1970 to a date. */
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

/** Returns the days since 1970. Not by Date.UTC, which adds 1900 to years before 100. */
const daysTo = (year: number, month: number, day: number) =>
  new Date(0).setUTCFullYear(year, month - 1, day) / 86_400_000;

/** Returns the weekday of a day number, from 1 for Monday. Day 0 was a Thursday. */
const weekdayOf = (day: number) => ((((day + 3) % 7) + 7) % 7) + 1;

/** Returns the Monday of ISO week 1, which contains 4 January. */
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
 * Returns the moment of a clock time. If the text has an offset and a zone, the offset determines the moment.
 * The zone must have this offset at the moment (RFC 9557, section 3.4).
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

/** Zones by name. A cache, because checking the name of a zone takes as long as parsing ten dates. */
const zones = new Map<string, Zone>();
const maxZones = 256;

/** Returns the zone with a name. Throws DateError. */
export function zoneNamed(name: string): Zone {
  const zone = zones.get(name) ?? newZone(name);
  if (zones.size >= maxZones) zones.clear();
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
 * Returns the moment of a local time. A time in a gap of the clock moves forward by the length of the gap. A
 * time that occurs twice is the first occurrence. Temporal calls this rule "compatible". Luxon would choose
 * between the occurrences by today's offset.
 */
function localTime(wall: bigint, zone: Zone): ZonedTime {
  const milliseconds = Number(wall / 1_000_000n);
  const offsetAt = (time: number) => zone.offset(time) * 60_000;
  const day = 86_400_000;
  const [before, after] = [offsetAt(milliseconds - day), offsetAt(milliseconds + day)];
  const fits = [before, after].find((offset) => offsetAt(milliseconds - offset) === offset);
  return zonedTime(wall - BigInt(Math.round(fits ?? before)) * 1_000_000n, zone);
}
