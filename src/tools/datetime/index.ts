import { z } from 'zod';
import { defineTool, price } from '../tool.ts';
import { input } from './input.ts';

export const datetime = defineTool({
  name: 'datetime',
  summary: 'Parse, format, convert, compare and shift dates and times',
  description: `Reads ISO 8601 (with RFC 9557's \`[Europe/Berlin]\`), RFC 2822, HTTP and SQL dates, the dates of
logs and programs, Unix timestamps, \`now\`, \`tomorrow\`, \`2 days ago\`, and common human forms in English.
Nothing is guessed: \`03/04/2024\` is a 422 unless \`options.day_first\` says which it is. With dots the day
comes first. Two digits are a year from 1969 to 2068. Of abbreviations of zones, those that RFC 2822 defines
are read (GMT, UT, Z, EST, EDT, CST, CDT, MST, MDT, PST, PDT), and UTC; others are a 422 that names the zones
they may mean.

A local time that a clock change skips moves forward by the length of the gap. Of two equal local times the first is
used. \`diff\` is value2 − value in whole units. \`add\` counts hours, minutes and seconds as elapsed time, and days and
weeks by the calendar. \`business_days\` counts Monday to Friday from the earlier date, inclusive, to the
later, exclusive.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return input();
  },
  get output() {
    return z.object({
      formatted: z.string().optional(),
      parsed: z
        .object({
          year: z.int(),
          month: z.int(),
          day: z.int(),
          hour: z.int(),
          minute: z.int(),
          second: z.int(),
          weekday: z.string(),
          timezone: z.string(),
          unix_timestamp: z.int(),
          iso8601: z.string(),
        })
        .optional(),
      diff: z
        .object({
          days: z.int(),
          hours: z.int(),
          minutes: z.int(),
          seconds: z.int(),
          human_readable: z.string(),
        })
        .optional(),
      business_days: z.int().optional(),
    });
  },
  examples: [
    { title: 'parse', input: { action: 'parse', value: 'March 5, 2024 3:04 PM' } },
    {
      title: 'convert to a zone',
      input: { action: 'convert', value: '2024-03-05T15:04:05Z', timezone: 'Asia/Tokyo' },
    },
    { title: 'add', input: { action: 'add', value: '2024-02-28', duration: '48h' } },
    {
      title: 'business days',
      input: { action: 'business_days', value: '2024-03-01', value2: '2024-04-01' },
    },
  ],
  async run(input) {
    const { act } = await import('./act.ts');
    return act(input);
  },
});
