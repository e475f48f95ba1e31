import { Cron } from 'croner';
import { toString as describe } from 'cronstrue';
import { DateTime } from 'luxon';
import { forgetZones } from '../forget-zones.ts';
import type { CronExpression } from './expression.ts';

/**
 * The coming runs after a moment, soonest first. Fewer than `count`, down to none, when there are
 * no more (30 February).
 *
 * Across a clock change jobs without `*` in minute and hour run as with ISC cron: at the end of a
 * gap that they fall into, and once, at the first occurrence, in an hour that repeats.
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
 * What croner is given. It has no `L-3`, so that becomes a day for each length of a month, and
 * a pattern of its own for the day of the week where either is enough.
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
 * Whether a field has neither Monday nor Friday nor a day between them. `W` is never on another
 * day, and croner would look for one until the year 9999.
 */
const isWeekend = (dayOfWeek: string) =>
  !/[#L?]/.test(dayOfWeek) && ![1, 2, 3, 4, 5].some((day) => isInField(dayOfWeek, day, 0));

/** 25 runs on a Sunday that is 29 February take 750 years. */
const mostYears = 1000;

function monthLengths(thisYear: number) {
  // Some zones are in another year than UTC.
  const years = Array.from({ length: mostYears }, (_, i) => thisYear - 1 + i);
  const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [
    { length: 31, months: [1, 3, 5, 7, 8, 10, 12], years: '*' },
    { length: 30, months: [4, 6, 9, 11], years: '*' },
    { length: 29, months: [2], years: years.filter(isLeap).join(',') },
    { length: 28, months: [2], years: years.filter((year) => !isLeap(year)).join(',') },
  ];
}

/** Whether a field of numbers, such as `1-6/2,11`, has a number; `*` begins with `lowest`. */
function isInField(field: string, number: number, lowest: number): boolean {
  return field.split(',').some((item) => {
    const [range = '', step = '1'] = item.split('/');
    const [first = lowest, last = first] =
      range === '*' ? [lowest, Infinity] : range.split('-').map(Number);
    return number >= first && number <= last && (number - first) % Number(step) === 0;
  });
}

/** The same from now on, in RFC 3339 with the offset of the zone. */
export function nextRunsInZone(cron: CronExpression, count: number, zone: string): string[] {
  forgetZones();
  return nextRuns(cron, count, zone, new Date()).map((run) =>
    DateTime.fromJSDate(run, { zone }).toISO({ suppressMilliseconds: true })!,
  );
}

/** What the nicknames say by themselves. */
const periods: Record<string, string> = {
  '@yearly': 'Every year',
  '@annually': 'Every year',
  '@monthly': 'Every month',
  '@weekly': 'Every week',
  '@daily': 'Every day',
  '@midnight': 'Every day',
};

/** One English sentence, such as "At 09:00, Monday through Friday". */
export function explain(cron: CronExpression): string {
  const words = cron.eitherDay ? inWordsWithOr(cron.normalized) : inWords(cron.normalized);
  const period = periods[cron.nickname ?? ''];
  return period ? `${period}, ${words[0]!.toLowerCase()}${words.slice(1)}` : words;
}

function inWords(expression: string): string {
  const options = { use24HourTimeFormat: true, verbose: false, logicalAndDayFields: true };
  return describe(expression, options).replace('1 days before', '1 day before');
}

/** cronstrue joins the two day fields with "and" or a comma, also where either of them is enough. */
function inWordsWithOr(expression: string): string {
  const fields = expression.split(' ');
  const [dayOfMonth, month, dayOfWeek] = fields.splice(-3);
  const part = (days: string) => inWords(`* * ${days}`).replace(/^Every minute(?:, )?/, '');
  const weekdays = part(`* * ${dayOfWeek}`).replace(/^only /, '');
  const months = part(`* ${month} *`);
  const days = inWords([...fields, dayOfMonth, '*', '*'].join(' '));
  return `${days}, or ${weekdays}${months && `, ${months}`}`;
}
