import { DateTime, type Duration, type Zone } from 'luxon';

/** A moment in a zone with nanoseconds. Luxon's dates have milliseconds. */
export interface ZonedTime {
  date: DateTime;
  /** Nanoseconds after the millisecond of `date`: 0 to 999,999. */
  nanoseconds: number;
}

const perMillisecond = 1_000_000n;

/** Returns the moment at a number of nanoseconds after 1970. It is invalid outside of Luxon's range. */
export function zonedTime(epochNanoseconds: bigint, zone: Zone): ZonedTime {
  const below = ((epochNanoseconds % perMillisecond) + perMillisecond) % perMillisecond;
  const milliseconds = Number((epochNanoseconds - below) / perMillisecond);
  return {
    date: DateTime.fromMillis(milliseconds, { zone, locale: 'en-US' }),
    nanoseconds: Number(below),
  };
}

/** Returns the nanoseconds since 1970. */
export const epochNanoseconds = ({ date, nanoseconds }: ZonedTime): bigint =>
  BigInt(date.toMillis()) * perMillisecond + BigInt(nanoseconds);

/** Returns the same moment in another zone. */
export const inZone = (time: ZonedTime, zone: Zone): ZonedTime => ({
  ...time,
  date: time.date.setZone(zone),
});

/** Adds years to days by the calendar, and then nanoseconds of elapsed time. */
export function plus(time: ZonedTime, calendar: Duration, nanoseconds: bigint): ZonedTime {
  const date = time.date.plus(calendar);
  if (!date.isValid) return { ...time, date };
  return zonedTime(epochNanoseconds({ ...time, date }) + nanoseconds, date.zone);
}

/** Returns the nine digits of the fraction of a second. */
export const fractionOf = ({ date, nanoseconds }: ZonedTime): string =>
  String(date.millisecond).padStart(3, '0') + String(nanoseconds).padStart(6, '0');

/** Returns the offset in seconds east of UTC. Before standard time, offsets are not whole minutes. */
export const offsetSeconds = ({ date }: ZonedTime): number => Math.round(date.offset * 60);

/**
 * Returns an offset such as `+01:00`, with seconds only if they are not zero.
 *
 * @param separator between hours and minutes
 */
export function offsetText(time: ZonedTime, separator: ':' | ''): string {
  const total = Math.abs(offsetSeconds(time));
  const parts = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  if (total % 60 !== 0) parts.push(total % 60);
  const sign = offsetSeconds(time) < 0 ? '-' : '+';
  return sign + parts.map((part) => String(part).padStart(2, '0')).join(separator);
}

/** Returns ISO 8601 with offset. A fraction of a second has three, six or nine digits. */
export function iso(time: ZonedTime): string {
  const { date } = time;
  const fraction = fractionOf(time).replace(/(?:000){1,3}$/, '');
  const clock = date.toFormat('HH:mm:ss') + (fraction && `.${fraction}`);
  return `${date.toISODate()}T${clock}${isUtc(date) ? 'Z' : offsetText(time, ':')}`;
}

const isUtc = (date: DateTime) => date.isOffsetFixed && date.offset === 0;
