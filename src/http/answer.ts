import type { Context } from 'hono';
import type { Allowance } from '../account/rate.ts';
import type { Caller } from '../account/caller.ts';
import type { KeptAnswer } from '../account/repeats.ts';
import type { Client } from '../context.ts';
import { asServiceError, type ErrorCode, type ServiceError } from '../errors.ts';
import { ignoredHeaders, type IgnoredFields } from '../shared/ignored-fields.ts';
import type { Answer } from '../tools/answer.ts';

/** Values that the steps of a request set for its response. */
export interface Variables {
  requestId: string;
  caller?: Caller;
  allowance?: Allowance;
  /** The answer is one of before. */
  isRepeat?: boolean;
  /** Fields of the input that were ignored. */
  ignored?: IgnoredFields;
  /** Finished steps as `name;dur=milliseconds`. */
  timing?: string;
}

export type AppContext = Context<{ Bindings: Env; Variables: Variables }>;

/**
 * The headers of every response below `/api/`, successful or not. They are collected in one record, because each
 * call of `Headers.set` costs measurable time on this path (bench/hash-call.ts). So no middleware adds headers.
 */
function headers(c: AppContext, type: string, cost: number): Record<string, string> {
  const record: Record<string, string> = {
    'Content-Type': type,
    'X-Request-Id': requestIdOf(c),
    'X-Credits-Cost': String(cost),
    'Access-Control-Allow-Origin': '*',
  };
  // Lets scripts of other origins read all headers. The wildcard applies because API calls send no cookies
  // (Fetch standard, 3.3.3).
  if (c.req.raw.headers.has('origin')) record['Access-Control-Expose-Headers'] = '*';
  const timing = c.get('timing');
  if (timing) record['Server-Timing'] = timing;
  const remaining = c.get('caller')?.remaining();
  if (remaining !== undefined) record['X-Credits-Remaining'] = String(remaining);
  const ignored = c.get('ignored');
  if (ignored) Object.assign(record, ignoredHeaders(ignored));
  const allowance = c.get('allowance');
  if (allowance) {
    // draft-ietf-httpapi-ratelimit-headers-10
    record['RateLimit-Policy'] = `"minute";q=${allowance.limit};w=60`;
    record['RateLimit'] = `"minute";r=${allowance.remaining};t=${allowance.reset}`;
  }
  return record;
}

/** The client of a request. Its abort signal and its list of ignored fields are created on first use. */
export const clientOf = (c: AppContext, { account }: Caller): Client => ({
  account,
  requestId: requestIdOf(c),
  get signal() {
    return c.req.raw.signal;
  },
  get ignored() {
    const ignored: IgnoredFields = c.get('ignored') ?? new Map();
    c.set('ignored', ignored);
    return ignored;
  },
});

/** Returns the request id that the caller sent, if it is well formed, else a new one. */
export function requestIdOf(c: AppContext): string {
  const known = c.get('requestId');
  if (known) return known;
  const given = c.req.raw.headers.get('x-request-id');
  const id = given !== null && /^[\w=-]{1,255}$/.test(given) ? given : crypto.randomUUID();
  c.set('requestId', id);
  return id;
}

/** Records for Server-Timing how long a step took that began at `since`. Returns the time at which it ended. */
export function lap(c: AppContext, name: string, since: number): number {
  const now = performance.now();
  const earlier = c.get('timing');
  const entry = `${name};dur=${Math.round((now - since) * 10) / 10}`;
  c.set('timing', earlier ? `${earlier}, ${entry}` : entry);
  return now;
}

/** Makes the response to a successful call. @param cost in credits */
export function respond(
  c: AppContext,
  { type, headers: own, body }: Answer,
  cost: number,
): Response {
  return new Response(body, { headers: Object.assign(headers(c, type, cost), own) });
}

/** Makes the response to a repeated call from the stored answer. The repetition costs nothing. */
export function answerKept(
  c: AppContext,
  { type, headers: own }: Pick<KeptAnswer, 'type' | 'headers'>,
  body: BodyInit,
): Response {
  c.set('isRepeat', true);
  const record = { ...headers(c, type, 0), ...own, 'Idempotent-Replayed': 'true' };
  return new Response(body, { headers: record });
}

/** Makes the JSON response to an error, without stack trace or internal details. */
export function answerError(c: AppContext, error: unknown): Response {
  const known = asServiceError(error, requestIdOf(c));
  const record = headers(c, 'application/json', 0);
  if (known.status === 401) record['WWW-Authenticate'] = 'Bearer';
  if (known.retryAfter !== undefined) record['Retry-After'] = String(known.retryAfter);
  if (known.allow !== undefined) record['Allow'] = known.allow;
  return new Response(JSON.stringify(errorBody(known)), { status: known.status, headers: record });
}

/** The two 401 bodies are fixed by the specification: a message and nothing else. */
function errorBody({ status, message, code, errors }: ServiceError): {
  message: string;
  code?: ErrorCode;
  errors?: ServiceError['errors'];
} {
  if (status === 401) return { message };
  return errors ? { message, code, errors } : { message, code };
}
