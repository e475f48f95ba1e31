import type { DateTime } from 'luxon';
import { epochNanoseconds, type ZonedTime } from './zoned-time.ts';

const names = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 };

/** Returns the signed time between two moments in whole units, each for the remainder of the larger units. */
export function difference(from: ZonedTime, to: ZonedTime) {
  let rest = Number((epochNanoseconds(to) - epochNanoseconds(from)) / 1_000_000_000n);
  const later = rest >= 0;
  const parts = Object.entries(names).map(([name, seconds]) => {
    const amount = Math.trunc(rest / seconds) + 0;
    rest -= amount * seconds;
    return [name, amount] as const;
  });
  const said = parts.filter(([, amount]) => amount !== 0).map(inWords);
  const human_readable = (said.join(', ') || '0 seconds') + (later ? '' : ' earlier');
  return { ...(Object.fromEntries(parts) as typeof names), human_readable };
}

const inWords = ([name, amount]: readonly [string, number]) =>
  `${Math.abs(amount)} ${Math.abs(amount) === 1 ? name.slice(0, -1) : name}`;

const dayLength = 86_400_000;

/**
 * Counts the days from Monday to Friday without holidays, from the earlier date (inclusive) to the later date
 * (exclusive). The result is negative if `from` is the later date.
 */
export function businessDays(from: DateTime, to: DateTime, holidays: DateTime[]): number {
  const [a, b] = [dayNumber(from), dayNumber(to)];
  if (b < a) return -businessDays(to, from, holidays) + 0;
  const off = new Set(
    holidays.map(dayNumber).filter((day) => day >= a && day < b && isWorkday(day)),
  );
  return workdaysBefore(b) - workdaysBefore(a) - off.size;
}

/** Returns the days since 1 January 1970 in the calendar of the date's own zone. */
const dayNumber = ({ year, month, day }: DateTime) =>
  // Not Date.UTC, which adds 1900 to years before 100.
  new Date(0).setUTCFullYear(year, month - 1, day) / dayLength;

/** Returns the weekday of a day number, 0 for Monday. Day 4 was a Monday. */
const weekdayOf = (day: number) => (((day - 4) % 7) + 7) % 7;
const isWorkday = (day: number) => weekdayOf(day) < 5;

/** Counts the workdays from a fixed Monday up to a day. */
function workdaysBefore(day: number): number {
  return Math.floor((day - 4) / 7) * 5 + Math.min(weekdayOf(day), 5);
}
