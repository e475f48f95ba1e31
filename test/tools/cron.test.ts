import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { CronSyntaxError, parseExpression } from '../../src/tools/cron/expression.ts';
import { cron } from '../../src/tools/cron/index.ts';
import { nextRuns } from '../../src/tools/cron/schedule.ts';
import { refusal, run } from './run.ts';

const runs = (expression: string, zone: string, after: string, count = 5) =>
  nextRuns(parseExpression(expression), count, zone, new Date(after)).map((date) =>
    date.toISOString().replace(':00.000Z', 'Z'),
  );

describe('expressions', () => {
  it.each([
    ['*/15 0-6,12 1,15 JAN-mar 1-5', '*/15 0-6,12 1,15 1-3 1-5'],
    ['5/15 * * * *', '5-59/15 * * * *'],
    ['0 0 * * FRI-SUN', '0 0 * * 5-7'],
    ['0 0 ? * 7L', '0 0 ? * 0L'],
    ['0 0 LW * ?', '0 0 LW * ?'],
    ['0 0 l-3 * *', '0 0 L-3 * *'],
    ['0 0 *,5 * 1', '0 0 * * 1'],
    ['0 0 5,* * 1', '0 0 1-31 * 1'],
    ['0 0 15W * *', '0 0 15W * *'],
    ['0 0 * * MON#2', '0 0 * * 1#2'],
    ['30 0 0 * * *', '30 0 0 * * *'],
    ['@hourly', '0 * * * *'],
    ['  @Daily ', '0 0 * * *'],
  ])('reads %s', (expression, normalized) => {
    expect(parseExpression(expression).normalized).toBe(normalized);
  });

  it.each([
    '',
    ' ',
    '* * * *',
    '* * * * * * *',
    '*/70 * * * *',
    '*/0 * * * *',
    '60 * * * *',
    '10-5 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '* * * FOO *',
    '* * * * MONDAY',
    'a * * * *',
    '-1 * * * *',
    '1, * * * *',
    ',1 * * * *',
    '1-2-3 * * * *',
    '1/2/3 * * * *',
    '? * * * *',
    '* * L-0 * *',
    '* * L-31 * *',
    '* * 1,L-3 * *',
    '* * * * L-3',
    '* * 32W * *',
    '* * 1W,15W * *',
    '* * LW,1 * *',
    `${'1,'.repeat(500)}1 * * * *`,
    '* * * * 1#6',
    '* * * * L',
    '* * * * 1,?',
    '@never',
    '@',
    '1.5 * * * *',
    '* * * * *;',
    '٣ * * * *',
  ])('refuses %j', (expression) => {
    expect(() => parseExpression(expression)).toThrow(CronSyntaxError);
  });
});

describe('clock changes', () => {
  it('runs a fixed time in a gap at the gap’s end', () => {
    expect(runs('30 2 * * *', 'America/New_York', '2026-03-08T05:00Z', 2)).toEqual([
      '2026-03-08T07:00Z',
      '2026-03-09T06:30Z',
    ]);
    expect(runs('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', 2)).toEqual([
      '2026-10-03T15:30Z',
      '2026-10-04T15:15Z',
    ]);
  });

  it('runs a fixed time in a repeated hour once, at its first occurrence', () => {
    expect(runs('30 1 * * *', 'America/New_York', '2026-11-01T04:00Z', 2)).toEqual([
      '2026-11-01T05:30Z',
      '2026-11-02T06:30Z',
    ]);
  });

  it('lets jobs of every hour follow the clock', () => {
    expect(runs('0 * * * *', 'America/New_York', '2026-11-01T04:30Z', 3)).toEqual([
      '2026-11-01T05:00Z',
      '2026-11-01T06:00Z',
      '2026-11-01T07:00Z',
    ]);
  });

  const zones = [
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Africa/Casablanca',
    'Pacific/Chatham',
  ];
  const expressions = [
    '*/20 * * * *',
    '7 * * * *',
    '30 2 * * *',
    '15 1 * * 0',
    '0 3 1 * *',
    '45 23 * * 5',
    '0 0 13 * 5',
    '0 0 */2 * 1',
    '0 0 1-7 * */2',
    '*/30 1-3 * * *',
    '10 */6 * 3,10,11 *',
  ];

  it.each(zones)(
    'finds what a search of every minute finds, around every clock change in %s',
    (zone) => {
      for (const expression of expressions) {
        for (const [from, to] of aroundChanges(zone)) {
          const found = nextRuns(parseExpression(expression), 500, zone, from.toJSDate())
            .map((date) => date.toISOString())
            .filter((date) => date < to.toUTC().toISO()!);
          expect([expression, found]).toEqual([expression, searched(expression, from, to)]);
        }
      }
    },
  );
});

/** Returns three days around each clock change in 2026; for a zone without clock changes some other days. */
function aroundChanges(zone: string): [DateTime, DateTime][] {
  const days = Array.from({ length: 365 }, (_, i) =>
    DateTime.fromObject({ year: 2026 }, { zone }).plus({ days: i }),
  );
  const changes = days.filter((day) => day.offset !== day.plus({ days: 1 }).offset);
  return (changes.length > 0 ? changes : days.slice(40, 41)).map((day) => [
    day.minus({ days: 1 }),
    day.plus({ days: 2 }),
  ]);
}

/** Finds runs by testing every minute, with ISC cron's rules for clock changes. */
function searched(expression: string, from: DateTime, to: DateTime): string[] {
  const parts = expression.split(' ');
  const [minutes, hours, days, months, weekdays] = parts.map(valuesOf) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  const fixed = !parts[0]!.startsWith('*') && !parts[1]!.startsWith('*');
  const dayMatches = (date: DateTime) => {
    const [byDate, byWeekday] = [days.has(date.day), weekdays.has(date.weekday % 7)];
    const either = !parts[2]!.startsWith('*') && !parts[4]!.startsWith('*');
    return either ? byDate || byWeekday : byDate && byWeekday;
  };
  const matches = (date: DateTime) =>
    minutes.has(date.minute) && hours.has(date.hour) && months.has(date.month) && dayMatches(date);
  const found: string[] = [];
  let previous = from;
  for (let time = from.plus({ minutes: 1 }); time < to; time = time.plus({ minutes: 1 })) {
    const jump = time.offset - previous.offset;
    const local = previous.setZone('utc', { keepLocalTime: true });
    const skipped = Array.from({ length: Math.max(jump, 0) }, (_, i) =>
      local.plus({ minutes: i + 1 }),
    );
    const late = fixed && skipped.some(matches);
    if (late || (matches(time) && !(fixed && wasBefore(time)))) found.push(time.toUTC().toISO()!);
    previous = time;
  }
  return found;
}

/** Whether the same clock time already occurred within the last hour. */
function wasBefore(time: DateTime): boolean {
  const clock = time.toFormat('yyyyMMddHHmm');
  return [30, 60].some((minutes) => time.minus({ minutes }).toFormat('yyyyMMddHHmm') === clock);
}

function valuesOf(field: string, index: number): Set<number> {
  const [min, max] = [
    [0, 59],
    [0, 23],
    [1, 31],
    [1, 12],
    [0, 6],
  ][index]! as [number, number];
  return new Set(
    field.split(',').flatMap((item) => {
      const [range = '', step = '1'] = item.split('/');
      const [from, to] = range === '*' ? [min, max] : range.split('-').map(Number);
      return Array.from({ length: (to ?? from!) - from! + 1 }, (_, i) => from! + i).filter(
        (value) => (value - from!) % Number(step) === 0,
      );
    }),
  );
}

describe('the tool', () => {
  it('parses', async () => {
    expect(await run(cron, { action: 'parse', expression: '0 9 * * MON-FRI' })).toEqual({
      valid: true,
      expression: '0 9 * * MON-FRI',
      explanation: 'At 09:00, Monday through Friday',
      fields: { minute: '0', hour: '9', day_of_month: '*', month: '*', day_of_week: 'MON-FRI' },
    });
  });

  it.each([
    ['0 0 13 * 5', 'At 00:00, on day 13 of the month, or on Friday'],
    ['0 0 13 6 5', 'At 00:00, on day 13 of the month, or on Friday, only in June'],
    ['0 0 L * 1-5', 'At 00:00, on the last day of the month, or Monday through Friday'],
    ['0 0 */2 * 1', 'At 00:00, every 2 days in a month, only on Monday'],
    ['0 0 ? * 5', 'At 00:00, only on Friday'],
    ['0 0 *,5 * 1', 'At 00:00, only on Monday'],
    ['0 0 L-3 * *', 'At 00:00, 3 days before the last day of the month'],
    ['0 0 L-1 * *', 'At 00:00, 1 day before the last day of the month'],
    ['@daily', 'Every day, at 00:00'],
    ['@Weekly', 'Every week, at 00:00, only on Sunday'],
    ['@hourly', 'Every hour'],
  ])('explains %s', async (expression, explanation) => {
    expect((await run(cron, { action: 'explain', expression })).explanation).toBe(explanation);
  });

  it('takes the zones that RFC 2822 defines, and names the candidates of others', async () => {
    const input = { action: 'next_runs', expression: '0 12 * * *', count: 1 } as const;
    const { next_runs } = await run(cron, { ...input, timezone: 'PDT' });
    expect(next_runs![0]).toMatch(/T12:00:00-07:00$/);
    const { status, path, message } = await refusal(cron, { ...input, timezone: 'BST' });
    expect({ status, path }).toEqual({ status: 400, path: 'timezone' });
    expect(message).toContain('Europe/London');
  });

  it('lists runs with the offset of the zone', async () => {
    const { next_runs } = await run(cron, {
      action: 'next_runs',
      expression: '0 12 * * *',
      timezone: 'Asia/Kolkata',
      count: 25,
    });
    expect(next_runs).toHaveLength(25);
    expect(next_runs![0]).toMatch(/^\d{4}-\d\d-\d\dT12:00:00\+05:30$/);
    expect(
      (await run(cron, { action: 'next_runs', expression: '* * * * *' })).next_runs,
    ).toHaveLength(5);
  });

  it.each(['0 0 15W * */7', '0 0 LW * */6,0'])(
    'finds no working day on a weekend: %s',
    (expression) => {
      expect(runs(expression, 'UTC', '2026-01-01T00:00Z')).toEqual([]);
      expect(runs(expression.replace('*/', '1,*/'), 'UTC', '2026-01-01T00:00Z')).toHaveLength(5);
    },
  );

  it('finds no run of an impossible date', async () => {
    expect((await run(cron, { action: 'next_runs', expression: '0 0 30 2 *' })).next_runs).toEqual(
      [],
    );
  });

  it.each([
    [{ every: 'minute' }, '* * * * *'],
    [{ every: 'hour' }, '0 * * * *'],
    [{ every: 'day', at: '07:30' }, '30 7 * * *'],
    [{ every: 'day' }, '0 0 * * *'],
    [{ every: 'week', at: '9:05', weekday: 'Friday' }, '5 9 * * 5'],
    [{ every: 'week' }, '0 0 * * 1'],
    [{ every: 'month', day_of_month: 15, at: '23:59' }, '59 23 15 * *'],
  ])('generates %j', async (input, expression) => {
    const answer = await run(cron, { action: 'generate', ...input });
    expect(answer).toMatchObject({
      valid: true,
      expression,
      explanation: expect.any(String) as string,
      fields: { minute: expression.split(' ')[0] },
    });
  });

  it.each([
    [{ action: 'parse', expression: 'x' }, 400, 'expression'],
    [{ action: 'explain', expression: '' }, 400, 'expression'],
    [{ action: 'next_runs', expression: '* * * * *', timezone: 'Mars/Olympus' }, 400, 'timezone'],
    [{ action: 'generate', every: 'year' }, 400, 'every'],
    [{ action: 'generate' }, 422, 'every'],
    [{ action: 'parse' }, 422, 'expression'],
    [{ action: 'next_runs', expression: '* * * * *', count: 26 }, 422, 'count'],
    [{ action: 'generate', every: 'day', at: '25:00' }, 422, 'at'],
    [{ action: 'generate', every: 'week', weekday: 'noday' }, 422, 'weekday'],
  ])('refuses %j', async (input, status, path) => {
    expect(await refusal(cron, input)).toMatchObject({ status, path });
  });
});
