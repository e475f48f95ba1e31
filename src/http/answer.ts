import type { Context } from 'hono';
import type { Allowance } from '../account/rate.ts';
import type { Caller } from '../account/caller.ts';
import type { KeptAnswer } from '../account/repeats.ts';
import type { Client } from '../context.ts';
import { asServiceError, type ErrorCode, type ServiceError } from '../errors.ts';
import { ignoredHeaders, type IgnoredFields } from '../ignored-fields.ts';
import type { Answer } from '../tools/answer.ts';

/** What the steps of a request leave for its answer. */
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
 * Headers of every answer below `/api/`, good or bad. One record for one Response: on this path
 * each call of `Headers.set` is felt, so no middleware adds to it later (bench/hash-call.ts).
 */
function headers(c: AppContext, type: string, cost: number): Record<string, string> {
  const record: Record<string, string> = {
    'Content-Type': type,
    'X-Request-Id': requestIdOf(c),
    'X-Credits-Cost': String(cost),
    'Access-Control-Allow-Origin': '*',
  };
  // All of them, for browsers, who say where they are (Fetch, 3.3.3: the wildcard is one where no
  // cookies are sent, and keys are no cookies).
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

/** Who waits for the answer. What most calls do not need is made when it is first asked for. */
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

/** The caller's name for this request if it is a plain one, else a new one. */
export function requestIdOf(c: AppContext): string {
  const known = c.get('requestId');
  if (known) return known;
  const given = c.req.raw.headers.get('x-request-id');
  const id = given !== null && /^[\w=-]{1,255}$/.test(given) ? given : crypto.randomUUID();
  c.set('requestId', id);
  return id;
}

/** Notes for Server-Timing that a step ended which began at `since`; returns when. */
export function lap(c: AppContext, name: string, since: number): number {
  const now = performance.now();
  const earlier = c.get('timing');
  const entry = `${name};dur=${Math.round((now - since) * 10) / 10}`;
  c.set('timing', earlier ? `${earlier}, ${entry}` : entry);
  return now;
}

/** What a tool answered. @param cost in credits */
export function respond(
  c: AppContext,
  { type, headers: own, body }: Answer,
  cost: number,
): Response {
  return new Response(body, { headers: Object.assign(headers(c, type, cost), own) });
}

/** An answer of before, which costs nothing now. */
export function answerKept(
  c: AppContext,
  { type, headers: own }: Pick<KeptAnswer, 'type' | 'headers'>,
  body: BodyInit,
): Response {
  c.set('isRepeat', true);
  const record = { ...headers(c, type, 0), ...own, 'Idempotent-Replayed': 'true' };
  return new Response(body, { headers: record });
}

/** Any error as the JSON body that the API promises. Never a stack, never internals. */
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
