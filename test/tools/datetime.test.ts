import { DateTime, Settings } from 'luxon';
import { afterEach, describe, expect, it } from 'vitest';
import { datetime } from '../../src/tools/datetime/index.ts';
import { refusal, run } from './run.ts';

const parse = async (value: string | number, more = {}) =>
  (await run(datetime, { action: 'parse', value, ...more })).parsed!.iso8601;

describe('parse', () => {
  it.each([
    ['2024-03-05T15:04:05Z', '2024-03-05T15:04:05Z'],
    ['2024-03-05T15:04:05.123456789+02:00', '2024-03-05T15:04:05.123+02:00'],
    ['20240305T150405Z', '2024-03-05T15:04:05Z'],
    ['20240305', '2024-03-05T00:00:00Z'],
    ['2024-W10-2', '2024-03-05T00:00:00Z'],
    ['2024-065', '2024-03-05T00:00:00Z'],
    ['2024-03-05t15:04:05z', '2024-03-05T15:04:05Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['2024-03-05T24:00Z', '2024-03-06T00:00:00Z'],
    ['Tue, 05 Mar 2024 15:04:05 GMT', '2024-03-05T15:04:05Z'],
    ['Tue, 5 Mar 2024 15:04:05 +0100', '2024-03-05T15:04:05+01:00'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37Z'],
    ['2024-03-05 15:04:05', '2024-03-05T15:04:05Z'],
    ['2024-03-05 15:04 Europe/Berlin', '2024-03-05T15:04:00+01:00'],
    ['1709651045', '2024-03-05T15:04:05Z'],
    [1709651045, '2024-03-05T15:04:05Z'],
    [1709651045123, '2024-03-05T15:04:05.123Z'],
    ['1709651045123456', '2024-03-05T15:04:05.123Z'],
    [0, '1970-01-01T00:00:00Z'],
    [-1, '1969-12-31T23:59:59Z'],
    ['March 5, 2024 3:04 PM', '2024-03-05T15:04:00Z'],
    ['2024/03/05', '2024-03-05T00:00:00Z'],
    ['05 Mar 2024', '2024-03-05T00:00:00Z'],
    ['5th of March 2024 at 3pm', '2024-03-05T15:00:00Z'],
    ['31/12/2024', '2024-12-31T00:00:00Z'],
    ['12/31/2024 11:59 pm', '2024-12-31T23:59:00Z'],
    ['4/4/2024', '2024-04-04T00:00:00Z'],
    [
      'Tue Mar 05 2024 15:04:05 GMT+0100 (Central European Standard Time)',
      '2024-03-05T15:04:05+01:00',
    ],
    ['  2024-03-05  ', '2024-03-05T00:00:00Z'],
  ])('%j', async (value, iso) => {
    expect(await parse(value)).toBe(iso);
  });

  it('lets a text that names its zone have it', async () => {
    for (const [value, iso8601, timezone] of [
      ['2024-03-05T15:04:05+01:00[Europe/Paris]', '2024-03-05T15:04:05+01:00', 'Europe/Paris'],
      ['2024-03-05t15:04:05z', '2024-03-05T15:04:05Z', 'UTC'],
      ['2024-03-05 15:04:05 Etc/UTC', '2024-03-05T15:04:05+00:00', 'Etc/UTC'],
    ] as const) {
      const { parsed } = await run(datetime, { action: 'parse', value, timezone: 'Asia/Tokyo' });
      expect(parsed).toMatchObject({ iso8601, timezone });
    }
  });

  it('guesses nothing', async () => {
    expect((await refusal(datetime, { action: 'parse', value: '03/04/2024' })).message).toContain(
      'options.day_first',
    );
    expect(await parse('03/04/2024', { options: { day_first: true } })).toBe(
      '2024-04-03T00:00:00Z',
    );
    expect(await parse('03/04/2024', { options: { day_first: false } })).toBe(
      '2024-03-04T00:00:00Z',
    );
    expect(
      (
        await refusal(datetime, {
          action: 'parse',
          value: '31/12/2024',
          options: { day_first: false },
        })
      ).status,
    ).toBe(422);
  });

  it.each([
    '',
    'x',
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '24:00',
    '15:04',
    '2024-03-05T25:00',
    '32 Mar 2024',
    '1e400',
    '99999999999999999999',
  ])('refuses %j', async (value) => {
    expect(await refusal(datetime, { action: 'parse', value })).toMatchObject({
      status: 422,
      path: 'value',
    });
  });

  it('says every part', async () => {
    expect(
      (
        await run(datetime, {
          action: 'parse',
          value: '2024-03-05T15:04:05',
          timezone: 'Asia/Tokyo',
        })
      ).parsed,
    ).toEqual({
      year: 2024,
      month: 3,
      day: 5,
      hour: 15,
      minute: 4,
      second: 5,
      weekday: 'Tuesday',
      timezone: 'Asia/Tokyo',
      unix_timestamp: 1709618645,
      iso8601: '2024-03-05T15:04:05+09:00',
    });
  });

  it('reads now', async () => {
    expect(
      Math.abs(
        DateTime.fromISO(await parse('now'))
          .diffNow()
          .toMillis(),
      ),
    ).toBeLessThan(5000);
  });
});

describe('clock changes', () => {
  afterEach(() => {
    Settings.now = () => Date.now();
  });

  // Luxon alone would decide by the offset of the day on which it runs.
  it.each(['2024-01-15', '2024-07-15'])('are the same on %s', async (today) => {
    Settings.now = () => Date.parse(today);
    const timezone = 'America/New_York';
    expect(await parse('2024-03-10T02:30', { timezone })).toBe('2024-03-10T03:30:00-04:00');
    expect(await parse('2024-11-03T01:30', { timezone })).toBe('2024-11-03T01:30:00-04:00');
    expect(await parse('2024-11-03T01:30-05:00', { timezone })).toBe('2024-11-03T01:30:00-05:00');
    expect(await parse('2024-07-01T12:00', { timezone })).toBe('2024-07-01T12:00:00-04:00');
    expect(await parse('2024-10-06T02:15', { timezone: 'Australia/Lord_Howe' })).toBe(
      '2024-10-06T02:45:00+11:00',
    );
  });
});

describe('format', () => {
  const format = async (output_format?: string, value = '2024-03-05T15:04:05.120+02:00') =>
    (
      await run(datetime, {
        action: 'format',
        value,
        ...(output_format !== undefined && { output_format }),
      })
    ).formatted;

  it.each([
    ['RFC3339', '2024-03-05T15:04:05+02:00'],
    ['rfc3339', '2024-03-05T15:04:05+02:00'],
    ['RFC1123', 'Tue, 05 Mar 2024 15:04:05 +0200'],
    ['RFC822', '05 Mar 24 15:04 +0200'],
    ['ISO8601', '2024-03-05T15:04:05.120+02:00'],
    ['HTTP', 'Tue, 05 Mar 2024 13:04:05 GMT'],
    ['SQL', '2024-03-05 15:04:05'],
    ['DateOnly', '2024-03-05'],
    ['TimeOnly', '15:04:05'],
    ['Kitchen', '3:04PM'],
    ['ANSIC', 'Tue Mar  5 15:04:05 2024'],
    ['UnixDate', 'Tue Mar  5 15:04:05 +0200 2024'],
    ['Unix', '1709643845'],
    ['UnixMilli', '1709643845120'],
    ['2006-01-02 15:04:05', '2024-03-05 15:04:05'],
    ['Mon Jan _2 03:04:05.000 pm -07:00', 'Tue Mar  5 03:04:05.120 pm +02:00'],
    ['2006-01-02T15:04:05.999Z07:00', '2024-03-05T15:04:05.12+02:00'],
    ['%Y-%m-%dT%H:%M:%S%z', '2024-03-05T15:04:05+0200'],
    ['%a %e %b %-d %j %U %W %V %I%p %%', 'Tue  5 Mar 5 065 09 10 10 03PM %'],
    ['yyyy-MM-dd HH:mm:ss XXX', '2024-03-05 15:04:05 +02:00'],
    ["EEEE, d MMMM yyyy 'at' h a", 'Tuesday, 5 March 2024 at 3 PM'],
    ['YYYY-MM-DD', '2024-03-05'],
  ])('%s', async (layout, text) => {
    expect(await format(layout)).toBe(text);
  });

  it('is ISO 8601 by default, and names UTC', async () => {
    expect(await format()).toBe('2024-03-05T15:04:05.120+02:00');
    expect(await format('RFC1123', '2024-03-05T15:04:05Z')).toBe('Tue, 05 Mar 2024 15:04:05 UTC');
    expect(await format('2006-01-02T15:04:05Z07:00', '2024-03-05T15:04:05Z')).toBe(
      '2024-03-05T15:04:05Z',
    );
  });

  it.each(['%Q', '---', ''])('refuses %j', async (output_format) => {
    expect(
      await refusal(datetime, { action: 'format', value: 'now', output_format }),
    ).toMatchObject({ status: 422, path: 'output_format' });
  });
});

it('converts', async () => {
  expect(
    await run(datetime, {
      action: 'convert',
      value: '2024-03-05T15:04:05Z',
      timezone: 'Asia/Kolkata',
    }),
  ).toMatchObject({
    formatted: '2024-03-05T20:34:05+05:30',
    parsed: { hour: 20, minute: 34, timezone: 'Asia/Kolkata' },
  });
});

it.each([
  ['2024-03-01', '2024-03-05T02:03:04', [4, 2, 3, 4, '4 days, 2 hours, 3 minutes, 4 seconds']],
  ['2024-03-05', '2024-03-04T23:59:59', [0, 0, 0, -1, '1 second earlier']],
  ['2024-03-05', '2024-03-03T12:00', [-1, -12, 0, 0, '1 day, 12 hours earlier']],
  ['2024-03-05', '2024-03-05', [0, 0, 0, 0, '0 seconds']],
  ['2024-03-10T00:00-05:00', '2024-03-11T00:00-04:00', [0, 23, 0, 0, '23 hours']],
])('diff of %s and %s', async (value, value2, [days, hours, minutes, seconds, human_readable]) => {
  expect(await run(datetime, { action: 'diff', value, value2 })).toEqual({
    diff: { days, hours, minutes, seconds, human_readable },
  });
});

it.each([
  ['2024-02-28', '48h', '2024-03-01T00:00:00Z'],
  ['2024-03-05', '-1h30m', '2024-03-04T22:30:00Z'],
  ['2024-03-05', '1.5h', '2024-03-05T01:30:00Z'],
  ['2024-03-05', '24h30m', '2024-03-06T00:30:00Z'],
  ['2024-03-05', '1s500ms', '2024-03-05T00:00:01.500Z'],
  ['2024-03-05', '250000us750000000ns', '2024-03-05T00:00:01Z'],
  ['2024-03-05', '2w3d', '2024-03-22T00:00:00Z'],
  ['2024-01-31', 'P1M', '2024-02-29T00:00:00Z'],
  ['2024-03-05', 'P1DT2H', '2024-03-06T02:00:00Z'],
  ['2024-03-05', '0', '2024-03-05T00:00:00Z'],
])('%s plus %s', async (value, duration, formatted) => {
  expect((await run(datetime, { action: 'add', value, duration })).formatted).toBe(formatted);
});

it('adds hours as time and days by the calendar', async () => {
  const input = { action: 'add', value: '2024-03-09T12:00', timezone: 'America/New_York' } as const;
  expect((await run(datetime, { ...input, duration: '24h' })).formatted).toBe(
    '2024-03-10T13:00:00-04:00',
  );
  expect((await run(datetime, { ...input, duration: '1d' })).formatted).toBe(
    '2024-03-10T12:00:00-04:00',
  );
});

describe('business days', () => {
  const count = async (value: string, value2: string, holidays: string[] = []) =>
    (await run(datetime, { action: 'business_days', value, value2, options: { holidays } }))
      .business_days;

  it.each([
    ['2024-03-04', '2024-03-11', 5],
    ['2024-03-08', '2024-03-09', 1],
    ['2024-03-09', '2024-03-11', 0],
    ['2024-03-11', '2024-03-04', -5],
    ['2024-03-04', '2024-03-04', 0],
    ['0001-01-01', '0001-01-08', 5],
  ])('from %s to %s', async (a, b, days) => {
    expect(await count(a, b)).toBe(days);
  });

  it('leaves out holidays once, and only those on workdays', async () => {
    expect(
      await count('2024-03-25', '2024-04-02', [
        '2024-03-29',
        '2024-03-29',
        '2024-03-31',
        '2024-04-01',
        '2025-01-01',
      ]),
    ).toBe(4);
  });

  it('agrees with counting day by day', async () => {
    for (let length = 0; length < 40; length++) {
      const from = DateTime.utc(2023, 12, 20).plus({ days: length % 7 });
      const days = Array.from({ length }, (_, i) => from.plus({ days: i }).weekday).filter(
        (weekday) => weekday < 6,
      );
      expect(await count(from.toISODate()!, from.plus({ days: length }).toISODate()!)).toBe(
        days.length,
      );
    }
  });
});

it.each([
  [{ action: 'diff', value: 'now' }, 'value2'],
  [{ action: 'business_days', value: 'now' }, 'value2'],
  [{ action: 'add', value: 'now' }, 'duration'],
  [{ action: 'add', value: 'now', duration: '5x' }, 'duration'],
  [{ action: 'add', value: 'now', duration: '99999999999999h' }, 'duration'],
  [{ action: 'convert', value: 'now' }, 'timezone'],
  [{ action: 'convert', value: 'now', timezone: 'Nowhere' }, 'timezone'],
  [
    { action: 'business_days', value: 'now', value2: 'now', options: { holidays: ['x'] } },
    'options.holidays.0',
  ],
])('refuses %j', async (input, path) => {
  expect(await refusal(datetime, input)).toMatchObject({ status: 422, path });
});
