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
  const job = new Cron(cron.normalized, { timezone, paused: true, fixedTimeRule: 'no-wildcard' });
  return job.nextRuns(count, after);
}

/** The same from now on, in RFC 3339 with the offset of the zone. */
export function nextRunsInZone(cron: CronExpression, count: number, zone: string): string[] {
  forgetZones();
  return nextRuns(cron, count, zone, new Date()).map((run) =>
    DateTime.fromJSDate(run, { zone }).toISO({ suppressMilliseconds: true })!,
  );
}

/** One English sentence, such as "At 09:00, Monday through Friday". */
export function explain(cron: CronExpression): string {
  return describe(cron.normalized, { use24HourTimeFormat: true, verbose: false });
}
