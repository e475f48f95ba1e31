import { DateTime, Settings } from 'luxon';
import { afterEach, describe, expect, it } from 'vitest';
import { datetime } from '../../src/tools/datetime/index.ts';
import { refusal, run } from './run.ts';

afterEach(() => {
  Settings.now = () => Date.now();
});

const parse = async (value: string | number, more = {}) =>
  (await run(datetime, { action: 'parse', value, ...more })).parsed!.iso8601;

describe('parse', () => {
  it.each([
    ['2024-03-05T15:04:05Z', '2024-03-05T15:04:05Z'],
    ['2024-03-05T15:04:05.123456789+02:00', '2024-03-05T15:04:05.123456789+02:00'],
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
    ['1709651045123456', '2024-03-05T15:04:05.123456Z'],
    ['1709651045123456789', '2024-03-05T15:04:05.123456789Z'],
    [Number('1709651045123456789'), '2024-03-05T15:04:05.123456Z'],
    ['1709651045.123456789', '2024-03-05T15:04:05.123456789Z'],
    [-1.5, '1969-12-31T23:59:58.500Z'],
    ['@1709651045', '2024-03-05T15:04:05Z'],
    ['2024', '2024-01-01T00:00:00Z'],
    ['2024065', '2024-03-05T00:00:00Z'],
    ['202403051504', '2024-03-05T15:04:00Z'],
    ['20240305150405', '2024-03-05T15:04:05Z'],
    [20240305150405, '2024-03-05T15:04:05Z'],
    ['20240305150405123', '2024-03-05T15:04:05.123Z'],
    ['06/Jan/2008:15:04:05 -0700', '2008-01-06T15:04:05-07:00'],
    ['2014:04:08 22:05:00', '2014-04-08T22:05:00Z'],
    ['Sun, 06-Nov-1994 08:49:37 GMT', '1994-11-06T08:49:37Z'],
    ['Tue Mar  5 03:04:05 PM UTC 2024', '2024-03-05T15:04:05Z'],
    ['Fri Jul  5 15:04:05 EDT 2024', '2024-07-05T15:04:05-04:00'],
    ['2020-07-20+08:00', '2020-07-20T00:00:00+08:00'],
    ['2024年3月5日(火) 15時04分05秒', '2024-03-05T15:04:05Z'],
    ['2024. 3. 5. 오후 3:04:05', '2024-03-05T15:04:05Z'],
    ['２０２４/０３/０５　１５：０４', '2024-03-05T15:04:00Z'],
    ['3/15/2024, 3:04:05\u202fPM', '2024-03-15T15:04:05Z'],
    ['\u200e2024-03-05\u200b', '2024-03-05T00:00:00Z'],
    ['5.3.2024, 15:04:05', '2024-03-05T15:04:05Z'],
    ['15:04, 5 March 2024 (UTC)', '2024-03-05T15:04:00Z'],
    ['2024-03-05 15:04 UTC+5:30', '2024-03-05T15:04:00+05:30'],
    ['1800-01-01 Europe/Berlin', '1800-01-01T00:00:00+00:53:28'],
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

  it.each([
    ['2023-02-29', 'has day 29, which is not 1 to 28 (the days of February 2023)'],
    ['2024-13-01', 'has month 13'],
    ['2024-W53-1', 'has week 53, which is not 1 to 52'],
    ['2023-366', 'has day 366, which is not 1 to 365'],
    ['2024-03-05T25:00', 'has hour 25'],
    ['2024-03-05T24:00:01', 'has hour 24'],
    ['2024-03-05T23:60', 'has minute 60'],
    ['2024-03-05T15:04:60Z', 'has second 60, which only a leap second has'],
    ['2024-03-05 15:04:05 AM', 'has hour 15, which is not 1 to 12'],
    ['2024-03-05 15:04 +24:00', 'has the offset +24:00'],
    ['Sun, 05 Mar 2024 15:04:05 GMT', 'has the weekday Sunday, but that date is a Tuesday'],
    ['2024-03-05T15:04:05+05:00[Europe/Berlin]', 'has an offset that Europe/Berlin does not have'],
    ['2024-03-05 12:00 +0100 EST', 'has an offset that is not that of EST'],
    ['2024-03-05T12:00[!u-ca=hebrew]', 'has [!u-ca=hebrew], which is not supported'],
    ['2024-07-05 12:00 BST', 'Europe/London, Asia/Dhaka'],
    ['2024-07-05 12:00 CEST', 'such as Europe/Berlin'],
    ['2024-07-05 12:00 PT', 'such as America/Los_Angeles'],
    ['2024-07-05 12:00 Berlin', 'did you mean Europe/Berlin'],
    ['5 March 15:04', 'has no year'],
    ['15:04 March 2024', 'has a time, but no day'],
    ['15:04', 'has a time, but no date'],
    ['2024-03-05 15.04', 'has "15.04", which cannot be read'],
    ['31/12/24', 'options.day_first'],
    ['20241305', 'has month 13, which is not 1 to 12 (January to December); as a JSON number'],
    ['20241305150405', 'has month 13'],
    ['202403', 'write 2024-03'],
    ['+275760-09-13', 'is out of range'],
    ['5 Foo 2024', 'is not a date in any form that is known; write it like'],
  ])('names what is wrong with %j', async (value, words) => {
    const { message, status, path } = await refusal(datetime, { action: 'parse', value });
    expect({ status, path }).toEqual({ status: 422, path: 'value' });
    expect(message).toContain(words);
  });

  it('takes an offset before the zone in brackets beside it', async () => {
    const zoned = async (value: string) =>
      (await run(datetime, { action: 'parse', value, timezone: 'Asia/Tokyo' })).parsed!.iso8601;
    expect(await zoned('2024-03-05T15:04:05Z[Europe/Berlin]')).toBe('2024-03-05T16:04:05+01:00');
    expect(await zoned('2024-03-05T15:04-00:00[Europe/Berlin]')).toBe('2024-03-05T16:04:00+01:00');
    const overlap = '2024-11-03T01:30';
    expect(await zoned(`${overlap}-05:00[America/New_York]`)).toBe('2024-11-03T01:30:00-05:00');
    expect(await zoned(`${overlap}[America/New_York][u-ca=gregory]`)).toBe(
      '2024-11-03T01:30:00-04:00',
    );
    expect(await zoned(`${overlap} America/New_York`)).toBe('2024-11-03T01:30:00-04:00');
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

  it('reads words that count from now', async () => {
    const now = Date.parse('2024-03-10T15:04:05.678Z');
    Settings.now = () => now;
    const timezone = 'America/New_York';
    for (const [value, iso8601] of [
      ['now', '2024-03-10T11:04:05.678-04:00'],
      ['today', '2024-03-10T00:00:00-05:00'],
      ['Tomorrow at 3pm', '2024-03-11T15:00:00-04:00'],
      ['yesterday', '2024-03-09T00:00:00-05:00'],
      ['in 3 hours', '2024-03-10T14:04:05.678-04:00'],
      ['2 days ago', '2024-03-08T11:04:05.678-05:00'],
      ['an hour and 30 minutes from now', '2024-03-10T12:34:05.678-04:00'],
      ['now-1h', '2024-03-10T10:04:05.678-04:00'],
    ]) {
      expect([value, await parse(value!, { timezone })]).toEqual([value, iso8601]);
    }
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
  // Luxon alone would choose by today's offset.
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

  it.each([
    ['RFC2822', 'Tue, 05 Mar 2024 15:04:05 +0100'],
    ['ATOM', '2024-03-05T15:04:05+01:00'],
    ['UnixMicro', '1709647445123456'],
    ['UnixNano', '1709647445123456789'],
    ['%f', '123456'],
    ['%:z', '+01:00'],
    ['20060102150405', '20240305150405'],
    ['2006-01-02 15:00', '2024-03-05 15:00'],
    ['UnixDate', 'Tue Mar  5 15:04:05 CET 2024'],
    ['QQQ ww VV zzz SS', 'Q1 10 Europe/Berlin CET 12'],
    ["h 'o''clock' a", "3 o'clock PM"],
    ['vvvv', 'Central European Time'],
    ['yyyy-DDD', '2024-065'],
    ["YYYY-'W'ww-e", '2024-W10-2'],
    ['YYYY-MM-DDTHH:mm:ssZ', '2024-03-05T15:04:05+01:00'],
    ['MMMM Do, YYYY [at] h:mm A', 'March 5th, 2024 at 3:04 PM'],
    ['D MMM', '5 Mar'],
    ["MMM 'Day' d", 'Mar Day 5'],
  ])('%s in a zone', async (layout, text) => {
    expect(await format(layout, '2024-03-05T15:04:05.123456789+01:00[Europe/Berlin]')).toBe(text);
  });

  it.each([
    ['hello', 'has the letter l'],
    ['RFC9999', 'a layout by name is one of'],
    ['yyyy-MM-ddTHH:mm', 'has the letter T'],
    ['QQQQQQ', 'has QQQQQQ'],
    ["yyyy 'year", 'has a quote that does not end'],
    ['YYYY-MM-DD ff', 'has ff'],
    ['2024-03-05', "no part of Go's reference time"],
    ['1999-12-31', "no part of Go's reference time"],
    ['2006-01-02T15:04:05+08:00', "no part of Go's reference time"],
    ['100%', 'has %'],
    ['---', 'has no part of a date'],
  ])('says what is wrong with %j', async (output_format, words) => {
    const { message } = await refusal(datetime, { action: 'format', value: 'now', output_format });
    expect(message).toContain(words);
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

it('takes a date without a zone for UTC, or for one of from_timezone', async () => {
  const convert = { action: 'convert', timezone: 'Asia/Tokyo' } as const;
  const value = '2039-04-13 17:15:13';
  expect((await run(datetime, { ...convert, value })).formatted).toBe('2039-04-14T02:15:13+09:00');
  expect(
    (await run(datetime, { ...convert, value, from_timezone: 'Europe/Berlin' })).formatted,
  ).toBe('2039-04-14T00:15:13+09:00');
});

it('writes a date with its own offset in another zone only when asked', async () => {
  for (const more of [{ action: 'format' }, { action: 'add', duration: '0' }] as const) {
    const write = async (input: object) =>
      (await run(datetime, { ...more, value: '2024-03-05T15:04:05+02:00', ...input })).formatted;
    expect(await write({})).toBe('2024-03-05T15:04:05+02:00');
    expect(await write({ from_timezone: 'Asia/Tokyo' })).toBe('2024-03-05T15:04:05+02:00');
    expect(await write({ timezone: 'Asia/Tokyo' })).toBe('2024-03-05T22:04:05+09:00');
  }
});

describe('time zones', () => {
  const zone = async (timezone: string) =>
    (await run(datetime, { action: 'convert', value: '2024-07-05T12:00Z', timezone })).formatted;

  it.each([
    ['EST', '2024-07-05T07:00:00-05:00'],
    ['pdt', '2024-07-05T05:00:00-07:00'],
    ['PST', '2024-07-05T04:00:00-08:00'],
    ['UT', '2024-07-05T12:00:00Z'],
    ['Z', '2024-07-05T12:00:00Z'],
    ['CET', '2024-07-05T14:00:00+02:00'],
    ['europe/berlin', '2024-07-05T14:00:00+02:00'],
  ])('%s', async (name, text) => {
    expect(await zone(name)).toBe(text);
  });

  it.each([
    ['BST', 'Europe/London'],
    ['AST', 'America/Puerto_Rico'],
    ['NST', 'America/St_Johns'],
    ['CEST', 'Europe/Berlin'],
    ['ist', 'Asia/Kolkata'],
    ['new york', 'America/New_York'],
    ['+02:00', 'is an offset'],
    ['Asia/Tokio', 'did you mean Asia/Tokyo?'],
    ['Europe/Berln', 'did you mean Europe/Berlin?'],
    ['Mars/Phobos', 'use a name such as'],
    ['SystemV/AST4', 'is not an IANA time zone'],
  ])('refuses %s', async (timezone, words) => {
    for (const field of ['timezone', 'from_timezone']) {
      const input = { action: 'parse', value: 'now', [field]: timezone };
      const { status, path, message } = await refusal(datetime, input);
      expect({ status, path }).toEqual({ status: 422, path: field });
      expect(message).toContain(words);
    }
  });
});

it.each([
  ['2024-03-01', '2024-03-05T02:03:04', [4, 2, 3, 4, '4 days, 2 hours, 3 minutes, 4 seconds']],
  ['2024-03-05', '2024-03-04T23:59:59', [0, 0, 0, -1, '1 second earlier']],
  ['2024-03-05', '2024-03-03T12:00', [-1, -12, 0, 0, '1 day, 12 hours earlier']],
  ['2024-03-05', '2024-03-05', [0, 0, 0, 0, '0 seconds']],
  ['2024-03-10T00:00-05:00', '2024-03-11T00:00-04:00', [0, 23, 0, 0, '23 hours']],
  ['2024-03-05T00:00:00.9999999', '2024-03-05T00:00:01.0000001', [0, 0, 0, 0, '0 seconds']],
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
  ['2024-03-05', '1ns', '2024-03-05T00:00:00.000000001Z'],
  ['2024-03-05', '-PT0.000001S', '2024-03-04T23:59:59.999999Z'],
  ['2024-03-05', '2 days and 3 hours', '2024-03-07T03:00:00Z'],
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
  [{ action: 'add', value: 'now', duration: '1M' }, 'duration'],
  [{ action: 'add', value: 'now', duration: 'PT' }, 'duration'],
  [{ action: 'add', value: 'now', duration: '' }, 'duration'],
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
