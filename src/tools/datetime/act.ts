import type { DateTime } from 'luxon';
import { invalidInput } from '../../errors.ts';
import { forgetZones } from '../forget-zones.ts';
import { businessDays, difference } from './calendar.ts';
import { parseDuration } from './duration.ts';
import { formatDate, iso, LayoutError } from './format.ts';
import type { Input } from './input.ts';
import { DateError, parseDate } from './parse.ts';

/** Does what the input asks for. Apart from the tool, because Luxon takes its time to load. */
export function act(input: Input) {
  forgetZones();
  const date = parsed(input, 'value', input.value);
  switch (input.action) {
    case 'parse':
      return { parsed: inParts(date) };
    case 'format':
      return { formatted: formatted(inZone(date, input), input) };
    case 'convert':
      return converted(date, input);
    case 'diff':
      return { diff: difference(date, second(input)) };
    case 'add':
      return added(date, input);
    case 'business_days': {
      const holidays = input.options.holidays.map((day, i) =>
        parsed(input, `options.holidays.${i}`, day),
      );
      return { business_days: businessDays(date, second(input), holidays) };
    }
  }
}

function parsed(
  { timezone = 'UTC', options }: Input,
  path: string,
  value: string | number,
): DateTime {
  try {
    return parseDate(value, { zone: timezone, dayFirst: options.day_first });
  } catch (error) {
    if (error instanceof DateError) throw invalidInput(path, `"${value}" ${error.message}`);
    throw error;
  }
}

function second(input: Input): DateTime {
  if (input.value2 === undefined) throw invalidInput('value2', `is required for ${input.action}`);
  return parsed(input, 'value2', input.value2);
}

const inZone = (date: DateTime, { timezone }: Input) => (timezone ? date.setZone(timezone) : date);

function converted(date: DateTime, input: Input) {
  if (!input.timezone) throw invalidInput('timezone', 'is required for convert');
  const local = date.setZone(input.timezone);
  return { formatted: formatted(local, input), parsed: inParts(local) };
}

function added(date: DateTime, input: Input) {
  if (input.duration === undefined) throw invalidInput('duration', 'is required for add');
  const duration = parseDuration(input.duration.trim());
  if (!duration) {
    throw invalidInput(
      'duration',
      `"${input.duration}" is no duration; write it like 24h30m or P1DT2H`,
    );
  }
  const later = inZone(date, input).plus(duration);
  if (!later.isValid) throw invalidInput('duration', 'leads out of the range of dates');
  return { formatted: formatted(later, input), parsed: inParts(later) };
}

function formatted(date: DateTime, { output_format }: Input): string {
  try {
    return output_format === undefined ? iso(date) : formatDate(date, output_format);
  } catch (error) {
    if (error instanceof LayoutError) throw invalidInput('output_format', error.message);
    throw error;
  }
}

const inParts = (date: DateTime) => ({
  year: date.year,
  month: date.month,
  day: date.day,
  hour: date.hour,
  minute: date.minute,
  second: date.second,
  weekday: date.setLocale('en-US').weekdayLong!,
  timezone: date.zoneName!,
  unix_timestamp: Math.floor(date.toSeconds()),
  iso8601: iso(date),
});
