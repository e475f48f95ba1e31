// croniter.json: runs in UTC that croniter 6.2.4 (MIT) finds with `implement_cron_bug=True`, which is the
// rule of Vixie's cron for fields that begin with `*`. Some expressions are random, others were chosen.
import { expect, it } from 'vitest';
import { parseExpression } from '../../../src/tools/cron/expression.ts';
import { nextRuns } from '../../../src/tools/cron/schedule.ts';
import published from './croniter.json';

const runsOf = (expression: string, after: string, count: number) =>
  nextRuns(parseExpression(expression), count, 'UTC', new Date(after));

it('runs as croniter does', () => {
  for (const { expression, after, runs } of published) {
    const ours = runsOf(expression, `${after}Z`, 8).map((run) => run.toISOString().slice(0, 16));
    expect([expression, ours.join(' ')]).toEqual([expression, runs]);
  }
});

const days = Array.from({ length: 5 * 365 }, (_, i) => new Date(Date.UTC(2026, 0, 1 + i)));
const fromLast = (day: Date) =>
  new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate() -
  day.getUTCDate();

it.each([
  ['L-3 * *', (day: Date) => fromLast(day) === 3],
  ['L-28 * *', (day: Date) => fromLast(day) === 28],
  ['L-30 2,4 *', () => false],
  ['L-1 2 *', (day: Date) => fromLast(day) === 1 && day.getUTCMonth() === 1],
  ['L-3 * 1', (day: Date) => fromLast(day) === 3 || day.getUTCDay() === 1],
  ['L-3 * */3', (day: Date) => fromLast(day) === 3 && day.getUTCDay() % 3 === 0],
  [
    'L-30 */2 MON',
    (day: Date) => {
      return day.getUTCMonth() % 2 === 0 && (fromLast(day) === 30 || day.getUTCDay() === 1);
    },
  ],
])('runs on the days of %s that a look at each day finds', (fields, matches) => {
  const expected = days.filter(matches).slice(0, 25);
  const found = runsOf(`0 0 ${fields}`, '2025-12-31T12:00Z', 25);
  expect(found.slice(0, expected.length)).toEqual(expected);
  expect(found.every((run) => run > days.at(-1)! || matches(run))).toBe(true);
});
