import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Allowance } from '../account/rate.ts';
import type { Caller } from '../account/caller.ts';
import { ServiceError, type ErrorCode } from '../errors.ts';

/** What the steps of a request leave for its answer. */
export interface Variables {
  requestId: string;
  started: number;
  caller?: Caller;
  allowance?: Allowance;
  /** Finished steps as `name;dur=milliseconds`. */
  timing: string;
}

export type AppContext = Context<{ Bindings: Env; Variables: Variables }>;

/** Headers of every answer below `/api/`, good or bad. */
function headers(c: AppContext, type: string, cost: number): Record<string, string> {
  const record: Record<string, string> = {
    'Content-Type': type,
    'X-Credits-Cost': String(cost),
    'Server-Timing': `${c.get('timing') ?? ''}total;dur=${elapsed(c)}`,
  };
  const remaining = c.get('caller')?.remaining();
  if (remaining !== undefined) record['X-Credits-Remaining'] = String(remaining);
  const allowance = c.get('allowance');
  if (allowance) {
    // draft-ietf-httpapi-ratelimit-headers-10
    record['RateLimit-Policy'] = `"minute";q=${allowance.limit};w=60`;
    record['RateLimit'] = `"minute";r=${allowance.remaining};t=${allowance.reset}`;
  }
  return record;
}

const elapsed = (c: AppContext) => (performance.now() - (c.get('started') ?? 0)).toFixed(1);

/** Notes for Server-Timing that a step of this name just ended. */
export function lap(c: AppContext, name: string, since: number): number {
  const now = performance.now();
  c.set('timing', `${c.get('timing') ?? ''}${name};dur=${(now - since).toFixed(1)}, `);
  return now;
}

export function answerJson(c: AppContext, body: unknown, cost: number): Response {
  return c.body(JSON.stringify(body), 200, headers(c, 'application/json', cost));
}

export function answerText(c: AppContext, body: string, cost: number): Response {
  return c.body(body, 200, headers(c, 'text/plain; charset=utf-8', cost));
}

/** Any error as the JSON body that the API promises. Never a stack, never internals. */
export function answerError(c: AppContext, error: unknown): Response {
  const known = error instanceof ServiceError ? error : internal(error, c.get('requestId'));
  const more: Record<string, string> = {};
  if (known.status === 401) more['WWW-Authenticate'] = 'Bearer';
  if (known.retryAfter !== undefined) more['Retry-After'] = String(known.retryAfter);
  return c.body(JSON.stringify(errorBody(known)), known.status as ContentfulStatusCode, {
    ...headers(c, 'application/json', 0),
    ...more,
  });
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

function internal(error: unknown, requestId: string): ServiceError {
  console.error(`request ${requestId} failed`, error);
  return new ServiceError(
    'internal_error',
    'something went wrong on our side; nothing was charged',
  );
}
