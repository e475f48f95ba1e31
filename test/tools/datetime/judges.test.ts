// Inputs and answers of other programs:
// - published.json: the dates in README and tests of the Go library araddon/dateparse (MIT) and in the tests
//   of python-dateutil 2.9 (Apache-2.0), with the instants that these libraries return. A third element is
//   `options.day_first`. Instants are corrected where dateparse reads MST, PST and UTC-05 as UTC. An instant
//   is null for a weekday that does not match the date, and for an offset that the zone does not have.
// - strftime.json: GNU date 9.1, `LC_ALL=C date -d @… +…`.
// - unicode.json: DateTimeFormatter of OpenJDK 17, in Locale.US, and in Locale.UK for its weeks of ISO 8601.
// - zones.json: zoneinfo of Python 3.11 with tzdata 2025b; local times in gaps and overlaps are those with
//   fold 0.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { datetime } from '../../../src/tools/datetime/index.ts';
import { run } from '../run.ts';
import published from './published.json';
import strftime from './strftime.json';
import unicode from './unicode.json';
import zones from './zones.json';

/** Returns the instant of a text; null for a text that is refused. */
async function instant(value: string, day_first?: boolean): Promise<string | null> {
  try {
    const { formatted } = await run(datetime, {
      action: 'convert',
      value,
      timezone: 'UTC',
      output_format: '2006-01-02T15:04:05.999999999Z',
      ...(day_first !== undefined && { options: { day_first } }),
    });
    return formatted!;
  } catch {
    return null;
  }
}

type Published = [text: string, instant: string | null, dayFirst?: boolean];

async function differences(dates: Published[]) {
  const read = await Promise.all(
    dates.map(async ([text, expected, dayFirst]) => ({
      text,
      expected,
      ours: await instant(text, dayFirst),
    })),
  );
  return read.filter(({ expected, ours }) => expected !== ours);
}

it.each(['dateparse readme', 'dateparse tests'] as const)('reads the dates of %s', async (list) => {
  expect(await differences(published[list] as Published[])).toEqual([]);
});

it('reads most dates of dateutil, and none otherwise than it does', async () => {
  const others = await differences(published.dateutil as Published[]);
  expect(others.filter(({ ours }) => ours !== null)).toEqual([]);
  expect(others.length).toBeLessThanOrEqual(12);
});

it('finds the moment of a local time in every zone', async () => {
  for (const [timezone, times] of Object.entries(zones)) {
    for (const [value = '', expected] of times.split(' ').map((time) => time.split('='))) {
      const { parsed } = await run(datetime, { action: 'parse', value, timezone });
      expect([timezone, value, parsed!.unix_timestamp]).toEqual([
        timezone,
        value,
        Number(expected),
      ]);
    }
  }
});

it.each([
  ['strftime as GNU date does', strftime.conversions, strftime.dates],
  ['Unicode tokens as Java does', unicode.patterns, unicode.dates],
])('writes %s', async (_, layouts, dates) => {
  for (const { at, zone, texts } of dates) {
    const expected = texts.split('|');
    for (const [i, output_format] of layouts.split('|').entries()) {
      const input = { action: 'format', value: at, timezone: zone, output_format } as const;
      const { formatted } = await run(datetime, input);
      expect([output_format, at, zone, formatted]).toEqual([output_format, at, zone, expected[i]]);
    }
  }
});

/** From Go's src/time/format_test.go (BSD-3-Clause): 4 February 2009 21:00:57.0123456 PST. */
it.each([
  ['ANSIC', 'Wed Feb  4 21:00:57 2009'],
  ['UnixDate', 'Wed Feb  4 21:00:57 PST 2009'],
  ['RubyDate', 'Wed Feb 04 21:00:57 -0800 2009'],
  ['RFC822', '04 Feb 09 21:00 PST'],
  ['RFC850', 'Wednesday, 04-Feb-09 21:00:57 PST'],
  ['RFC1123', 'Wed, 04 Feb 2009 21:00:57 PST'],
  ['RFC1123Z', 'Wed, 04 Feb 2009 21:00:57 -0800'],
  ['RFC3339', '2009-02-04T21:00:57-08:00'],
  ['RFC3339Nano', '2009-02-04T21:00:57.0123456-08:00'],
  ['Kitchen', '9:00PM'],
  ['3pm', '9pm'],
  ['3PM', '9PM'],
  ['06 01 02', '09 02 04'],
  ['Hi Janet, the Month is January', 'Hi Janet, the Month is February'],
  ['Stamp', 'Feb  4 21:00:57'],
  ['StampMilli', 'Feb  4 21:00:57.012'],
  ['StampMicro', 'Feb  4 21:00:57.012345'],
  ['StampNano', 'Feb  4 21:00:57.012345600'],
  ['Jan  2 002 __2 2', 'Feb  4 035  35 4'],
  ['2006-01-02 15:04:05.999999 -0700 MST', '2009-02-04 21:00:57.012345 -0800 PST'],
])('writes %s as Go does', async (output_format, text) => {
  const input = { action: 'format', timezone: 'America/Los_Angeles', output_format } as const;
  const { formatted } = await run(datetime, { ...input, value: '1233810057012345600' });
  expect(formatted).toBe(text);
});

it('reads every moment back from each form that names the moment', async () => {
  const layouts = [
    'RFC3339Nano',
    'ISO8601',
    'UnixNano',
    '%s.%N',
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSxxx",
  ];
  layouts.push(
    'Monday, 2 January 2006 3:04:05.000000000 PM -07:00',
    'Jan _2 15:04:05.000000000 -0700 2006',
  );
  const nanoseconds = fc.bigInt({ min: 10n ** 18n, max: 4n * 10n ** 18n }).map(String);
  const zone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia');
  await fc.assert(
    fc.asyncProperty(
      nanoseconds,
      zone,
      fc.constantFrom(...layouts),
      async (value, timezone, layout) => {
        const write = (value: string, output_format: string) =>
          run(datetime, { action: 'format', value, timezone, output_format });
        const { formatted } = await write(value, layout);
        expect((await write(formatted!, 'UnixNano')).formatted).toBe(value);
      },
    ),
  );
});
