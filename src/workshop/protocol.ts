import { z } from 'zod';
import { statusOf, type ErrorCode, type ServiceError } from '../errors.ts';

/** What the front says of a call beside its body, and the mark of answers that the workshop wrote. */
export const jobHeaders = {
  answered: 'X-Workshop',
  requestId: 'X-Request-Id',
  /** Percent-encoded: names of accounts may have letters that a header cannot have. */
  account: 'X-Account',
  timeLimitMs: 'X-Time-Limit-Ms',
  computingLimitMs: 'X-Computing-Limit-Ms',
  checkOnly: 'X-Check-Only',
  /** Which message of a batch of MCP's has the call. */
  place: 'X-Message-Place',
} as const;

/** Where MCP messages are outlined; no tool is called like that. */
export const outlinePath = '/outline';

/** How an error crosses from the workshop. */
export const refusalShape = z.object({
  code: z.enum(Object.keys(statusOf) as ErrorCode[]),
  message: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  retryAfter: z.number().optional(),
});
type Refusal = z.infer<typeof refusalShape>;

export const refusal = ({ code, message, errors, retryAfter }: ServiceError): Refusal => ({
  code,
  message,
  ...(errors && { errors }),
  ...(retryAfter !== undefined && { retryAfter }),
});
