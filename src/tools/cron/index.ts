import { z } from 'zod';
import { badRequest, invalidInput } from '../../errors.ts';
import { timeZone, timeZoneFault } from '../timezone.ts';
import { defineTool, price } from '../tool.ts';
import { CronSyntaxError, parseExpression, type CronExpression } from './expression.ts';

const intervals = ['minute', 'hour', 'day', 'week', 'month'] as const;
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

export const cronFields = z.object({
  second: z.string().optional().describe('Only for expressions with six fields'),
  minute: z.string(),
  hour: z.string(),
  day_of_month: z.string(),
  month: z.string(),
  day_of_week: z.string(),
});

export const cron = defineTool({
  name: 'cron',
  summary: 'Parse, explain and generate cron expressions, and list their next runs',
  description: `An expression has five fields, or six with leading seconds. Names of months and days, \`@hourly\` to
\`@yearly\`, \`L\`, \`L-3\`, \`W\`, \`#\` and \`?\` are supported. If day of month and day of week are both set, a
match of either is enough. A day field that begins with \`*\`, such as \`*/2\`, does not count as set; then both
must match, as in crontab(5). An expression that never matches has no next runs. An invalid expression, an unknown
time zone and an unsupported interval are a 400.

A fixed time that a clock change skips runs at the end of the gap. A fixed time in a repeated hour runs once, at its
first occurrence. Expressions with \`*\` in minute or hour follow the clock.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({
      action: z.enum(['parse', 'explain', 'next_runs', 'generate']),
      expression: z.string().optional().describe('Required for all actions but generate'),
      count: z.int().min(1).max(25).default(5).describe('Number of runs; for next_runs'),
      timezone: z.string().default('UTC').describe('IANA zone; for next_runs'),
      every: z
        .string()
        .optional()
        .meta({
          description: 'Required for generate',
          override: { type: 'string', enum: [...intervals] },
        }),
      at: z
        .string()
        .regex(/^([01]?\d|2[0-3]):[0-5]\d$/, 'must be HH:MM')
        .default('00:00')
        .describe('HH:MM; for generate with day, week and month'),
      weekday: z
        .string()
        .toLowerCase()
        .transform((name) => weekdays.findIndex((day) => day === name || day.slice(0, 3) === name))
        .refine((day) => day >= 0, `must be one of ${weekdays.join(', ')}`)
        .prefault('monday')
        .describe('Day name; for generate with week'),
      day_of_month: z.int().min(1).max(31).default(1).describe('For generate with month'),
    });
  },
  get output() {
    return z.object({
      valid: z.boolean(),
      expression: z.string(),
      explanation: z.string().optional(),
      fields: cronFields.optional(),
      next_runs: z.array(z.string()).optional().describe('RFC 3339, with the offset of the zone'),
    });
  },
  examples: [
    { title: 'explain', input: { action: 'explain', expression: '0 9 * * MON-FRI' } },
    {
      title: 'next runs',
      input: {
        action: 'next_runs',
        expression: '*/15 * * * *',
        timezone: 'Europe/Berlin',
        count: 3,
      },
    },
    {
      title: 'generate',
      input: { action: 'generate', every: 'week', at: '07:30', weekday: 'friday' },
    },
  ],
  async run(input) {
    const expression = input.action === 'generate' ? generate(input) : input.expression;
    if (expression === undefined)
      throw invalidInput('expression', `is required for ${input.action}`);
    const cron = parsed(expression);
    const { fields } = cron;
    const { explain, nextRunsInZone } = await import('./schedule.ts');
    const answer = { valid: true, expression };
    switch (input.action) {
      case 'parse':
      case 'generate':
        return { ...answer, explanation: explain(cron), fields };
      case 'explain':
        return { ...answer, explanation: explain(cron) };
      case 'next_runs': {
        const { count, timezone } = input;
        const zone = timeZone(timezone);
        if (zone === undefined) throw badRequest('timezone', timeZoneFault(timezone));
        return { ...answer, next_runs: nextRunsInZone(cron, count, zone) };
      }
    }
  },
});

function parsed(expression: string): CronExpression {
  try {
    return parseExpression(expression);
  } catch (error) {
    if (error instanceof CronSyntaxError) throw badRequest('expression', error.message);
    throw error;
  }
}

interface Plan {
  every?: string | undefined;
  at: string;
  weekday: number;
  day_of_month: number;
}

function generate({ every, at, weekday, day_of_month }: Plan): string {
  const [hour, minute] = at.split(':').map(Number);
  switch (every) {
    case undefined:
      throw invalidInput('every', `is required for generate: one of ${intervals.join(', ')}`);
    case 'minute':
      return '* * * * *';
    case 'hour':
      return '0 * * * *';
    case 'day':
      return `${minute} ${hour} * * *`;
    case 'week':
      return `${minute} ${hour} * * ${weekday}`;
    case 'month':
      return `${minute} ${hour} ${day_of_month} * *`;
    default:
      throw badRequest('every', `"${every}" is not supported: one of ${intervals.join(', ')}`);
  }
}
