import { Cron } from 'croner';
import { toString as describe } from 'cronstrue';
import { DateTime } from 'luxon';
import { forgetZones } from '../forget-zones.ts';
import type { CronExpression } from './expression.ts';

/**
 * Returns the next runs after a moment, soonest first. Returns fewer than `count`, or none, if there are no
 * more runs (30 February).
 *
 * Clock changes are handled as in ISC cron for jobs without `*` in minute and hour. A job in a skipped hour
 * runs at the end of the gap. A job in a repeated hour runs once, at the first occurrence.
 */
export function nextRuns(
  cron: CronExpression,
  count: number,
  timezone: string,
  after: Date,
): Date[] {
  const options = { timezone, paused: true, fixedTimeRule: 'no-wildcard' } as const;
  const times = patterns(cron, after).flatMap((pattern) =>
    new Cron(pattern, { ...options, domAndDow: !cron.eitherDay })
      .nextRuns(count, after)
      .map((run) => run.getTime()),
  );
  const soonest = [...new Set(times)].toSorted((a, b) => a - b);
  return soonest.slice(0, count).map((time) => new Date(time));
}

/**
 * Returns patterns for croner whose runs together are those of an expression. croner has no `L-3`: for each
 * length of a month there is a pattern with the day, and if either day field is enough, another pattern with
 * the day of the week.
 */
function patterns({ normalized, eitherDay }: CronExpression, after: Date): string[] {
  const fields = normalized.split(' ');
  const [dayOfMonth, month, dayOfWeek] = fields.splice(-3) as [string, string, string];
  if (dayOfMonth.endsWith('W') && !eitherDay && isWeekend(dayOfWeek)) return [];
  const before = /^L-(\d+)$/.exec(dayOfMonth)?.[1];
  if (before === undefined) return [normalized];
  const time = (fields.length === 3 ? fields : ['0', ...fields]).join(' ');
  const lastDays = monthLengths(after.getUTCFullYear()).flatMap(({ length, months, years }) => {
    const named = months.filter((number) => isInField(month, number, 1));
    const day = length - Number(before);
    const days = `${day} ${named.join(',')} ${eitherDay ? '*' : dayOfWeek}`;
    return day > 0 && named.length > 0 ? [`${time} ${days} ${years}`] : [];
  });
  return eitherDay ? [...lastDays, `${time} * ${month} ${dayOfWeek}`] : lastDays;
}

/**
 * Whether a field for the day of the week has no day from Monday to Friday. `W` is always one of these days,
 * and croner would search for a run until the year 9999.
 */
const isWeekend = (dayOfWeek: string) =>
  !/[#L?]/.test(dayOfWeek) && ![1, 2, 3, 4, 5].some((day) => isInField(dayOfWeek, day, 0));

/** Number of years to search. 25 runs on a Sunday that is a 29 February take 750 years. */
const maxYears = 1000;

function monthLengths(thisYear: number) {
  // Starts one year earlier, because the year in some zones differs from the year in UTC.
  const years = Array.from({ length: maxYears }, (_, i) => thisYear - 1 + i);
  const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [
    { length: 31, months: [1, 3, 5, 7, 8, 10, 12], years: '*' },
    { length: 30, months: [4, 6, 9, 11], years: '*' },
    { length: 29, months: [2], years: years.filter(isLeap).join(',') },
    { length: 28, months: [2], years: years.filter((year) => !isLeap(year)).join(',') },
  ];
}

/** Whether a field of numbers, such as `1-6/2,11`, has a number. @param lowest the first value of `*` */
function isInField(field: string, number: number, lowest: number): boolean {
  return field.split(',').some((item) => {
    const [range = '', step = '1'] = item.split('/');
    const [first = lowest, last = first] =
      range === '*' ? [lowest, Infinity] : range.split('-').map(Number);
    return number >= first && number <= last && (number - first) % Number(step) === 0;
  });
}

/** Returns the next runs from now on, in RFC 3339 with the offset of the zone. */
export function nextRunsInZone(cron: CronExpression, count: number, zone: string): string[] {
  forgetZones();
  return nextRuns(cron, count, zone, new Date()).map((run) =>
    DateTime.fromJSDate(run, { zone }).toISO({ suppressMilliseconds: true })!,
  );
}

/** The explanations of nicknames. */
const periods: Record<string, string> = {
  '@yearly': 'Every year',
  '@annually': 'Every year',
  '@monthly': 'Every month',
  '@weekly': 'Every week',
  '@daily': 'Every day',
  '@midnight': 'Every day',
};

/** Explains an expression by an English sentence, such as "At 09:00, Monday through Friday". */
export function explain(cron: CronExpression): string {
  const words = cron.eitherDay ? inWordsWithOr(cron.normalized) : inWords(cron.normalized);
  const period = periods[cron.nickname ?? ''];
  return period ? `${period}, ${words[0]!.toLowerCase()}${words.slice(1)}` : words;
}

function inWords(expression: string): string {
  const options = { use24HourTimeFormat: true, verbose: false, logicalAndDayFields: true };
  return describe(expression, options).replace('1 days before', '1 day before');
}

/** Replaces cronstrue's "and" or comma between the two day fields by "or". */
function inWordsWithOr(expression: string): string {
  const fields = expression.split(' ');
  const [dayOfMonth, month, dayOfWeek] = fields.splice(-3);
  const part = (days: string) => inWords(`* * ${days}`).replace(/^Every minute(?:, )?/, '');
  const weekdays = part(`* * ${dayOfWeek}`).replace(/^only /, '');
  const months = part(`* ${month} *`);
  const days = inWords([...fields, dayOfMonth, '*', '*'].join(' '));
  return `${days}, or ${weekdays}${months && `, ${months}`}`;
}
