import type { Zone } from 'luxon';
import { invalidInput } from '../../errors.ts';
import { forgetZones } from '../forget-zones.ts';
import { timeZoneFault } from '../timezone.ts';
import { businessDays, difference } from './calendar.ts';
import { parseDuration } from './duration.ts';
import type { Input } from './input.ts';
import { formatDate } from './layouts/index.ts';
import { LayoutError } from './layouts/layout-error.ts';
import { parseDate } from './parse.ts';
import { DateError, zoneNamed } from './place.ts';
import { inZone, iso, plus, type ZonedTime } from './zoned-time.ts';

/** Runs the action of an input. A module of its own, because loading Luxon takes time. */
export function act(input: Input) {
  forgetZones();
  const target = zoneOf(input, 'timezone');
  const source = zoneOf(input, 'from_timezone');
  // In `convert`, `timezone` is the target only, so it does not apply to a date without a zone.
  const zone = source ?? (input.action === 'convert' ? undefined : target) ?? zoneNamed('UTC');
  const read: Reader = (path, value) => parsed(input, path, value, zone);
  const date = read('value', input.value);
  const shown = target ? inZone(date, target) : date;
  switch (input.action) {
    case 'parse':
      return { parsed: inParts(date) };
    case 'format':
      return { formatted: formatted(shown, input) };
    case 'convert':
      if (!target) throw invalidInput('timezone', 'is required for convert');
      return answer(shown, input);
    case 'diff':
      return { diff: difference(date, second(input, read)) };
    case 'add':
      return answer(later(shown, input), input);
    case 'business_days': {
      const holidays = input.options.holidays.map(
        (day, i) => read(`options.holidays.${i}`, day).date,
      );
      return { business_days: businessDays(date.date, second(input, read).date, holidays) };
    }
  }
}

type Reader = (path: string, value: string | number) => ZonedTime;

function zoneOf(input: Input, field: 'timezone' | 'from_timezone'): Zone | undefined {
  const name = input[field];
  if (name === undefined) return undefined;
  try {
    return zoneNamed(name);
  } catch (error) {
    if (error instanceof DateError) throw invalidInput(field, timeZoneFault(name));
    throw error;
  }
}

function parsed({ options }: Input, path: string, value: string | number, zone: Zone): ZonedTime {
  try {
    return parseDate(value, { zone, dayFirst: options.day_first });
  } catch (error) {
    if (error instanceof DateError) throw invalidInput(path, `"${value}" ${error.message}`);
    throw error;
  }
}

function second({ action, value2 }: Input, read: Reader): ZonedTime {
  if (value2 === undefined) throw invalidInput('value2', `is required for ${action}`);
  return read('value2', value2);
}

const answer = (time: ZonedTime, input: Input) => ({
  formatted: formatted(time, input),
  parsed: inParts(time),
});

function later(time: ZonedTime, { duration }: Input): ZonedTime {
  if (duration === undefined) throw invalidInput('duration', 'is required for add');
  const span = parseDuration(duration.trim());
  if (!span) {
    throw invalidInput(
      'duration',
      `"${duration}" is no duration; write it like 24h30m, P1DT2H or 2 days`,
    );
  }
  const sum = plus(time, span.calendar, span.nanoseconds);
  if (!sum.date.isValid) throw invalidInput('duration', 'leads out of the range of dates');
  return sum;
}

function formatted(time: ZonedTime, { output_format }: Input): string {
  try {
    return output_format === undefined ? iso(time) : formatDate(time, output_format);
  } catch (error) {
    if (error instanceof LayoutError) throw invalidInput('output_format', error.message);
    throw error;
  }
}

function inParts(time: ZonedTime) {
  const { date } = time;
  return {
    year: date.year,
    month: date.month,
    day: date.day,
    hour: date.hour,
    minute: date.minute,
    second: date.second,
    weekday: date.weekdayLong!,
    timezone: date.zoneName!,
    unix_timestamp: Math.floor(date.toSeconds()),
    iso8601: iso(time),
  };
}
