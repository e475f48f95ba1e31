import { z } from 'zod';
import { layoutNames } from './layouts/names.ts';

const moment = z.union([z.string().max(200), z.number()]);

/** The input schema of the tool. A module of its own, because `act.ts` imports its type. */
export const input = () =>
  z.object({
    action: z.enum(['parse', 'format', 'convert', 'diff', 'add', 'business_days']),
    value: moment.describe(
      'A date, or a Unix timestamp in seconds, milliseconds, microseconds or nanoseconds',
    ),
    value2: moment.optional().describe('The second date; required for diff and business_days'),
    timezone: z
      .string()
      .optional()
      .describe(
        'IANA zone: the target of convert; for other actions the zone of dates that name none (else UTC), and of what add and format write',
      ),
    from_timezone: z
      .string()
      .optional()
      .describe('IANA zone of dates that name none; for convert UTC without it'),
    duration: z
      .string()
      .max(200)
      .optional()
      .describe('Such as 72h, -1h30m, 1.5h, 2w3d, 2 days or P1DT2H; for add'),
    output_format: z
      .string()
      .max(200)
      .optional()
      .describe(
        `A name (${layoutNames.join(', ')}), a Go layout (2006-01-02), strftime (%Y-%m-%d), Unicode tokens (yyyy-MM-dd) or those of moment.js (YYYY-MM-DD)`,
      ),
    options: z
      .object({
        day_first: z.boolean().optional().describe('Whether 03/04/2024 is 3 April'),
        holidays: z.array(moment).max(1000).default([]).describe('Dates that are no business days'),
      })
      .prefault({}),
  });
export type Input = z.output<ReturnType<typeof input>>;
