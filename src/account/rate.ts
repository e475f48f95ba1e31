import { ServiceError } from '../errors.ts';

/** The state of a caller's rate limit in the current minute. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the next minute begins. */
  reset: number;
}

/** Ids after which each of the two maps is emptied. */
const maxCountedIds = 50_000;

/** Calls in the current minute, by key id or address. */
const counted = new Map<string, { minute: number; calls: number }>();

/** Counts a call against a limit per minute. */
export function countCall(id: string, limit: number): Allowance {
  const now = Date.now();
  const window = current(id, now);
  window.calls += 1;
  return {
    allowed: window.calls <= limit,
    limit,
    remaining: Math.max(0, limit - window.calls),
    reset: 60 - Math.floor((now % 60_000) / 1000),
  };
}

/** Counts a call. Throws 429 when the call exceeds the limit. */
export function requireCall(id: string, limit: number) {
  const allowance = countCall(id, limit);
  if (!allowance.allowed) throw overLimit(allowance);
}

/** Uncounts one call, for a call that turned out not to count. */
export function uncountCall(id: string) {
  current(id, Date.now()).calls -= 1;
}

/** The start of the next free turn by id, in Unix milliseconds. */
const turns = new Map<string, number>();

/**
 * Reserves the next turn of an id for a call; turns are `intervalMs` apart. Returns the milliseconds until
 * the turn starts. Returns undefined and reserves nothing when the wait would be longer than `longestMs`.
 */
export function takeTurn(id: string, intervalMs: number, longestMs: number): number | undefined {
  const now = Date.now();
  const turn = Math.max(now, turns.get(id) ?? 0);
  if (turn - now > longestMs) return undefined;
  if (turns.size >= maxCountedIds) turns.clear();
  turns.set(id, turn + intervalMs);
  return turn - now;
}

/** Returns the 429 for a call over the limit. */
export const overLimit = ({ limit, reset }: Allowance) =>
  new ServiceError('rate_limited', `more than ${limit} calls in a minute`, { retryAfter: reset });

/** Raises the count of an id to the total over all isolates, which the account reported. */
export function learnCalls(id: string, calls: number) {
  const window = current(id, Date.now());
  window.calls = Math.max(window.calls, calls);
}

function current(id: string, now: number) {
  const minute = Math.floor(now / 60_000);
  const known = counted.get(id);
  if (known?.minute === minute) return known;
  if (counted.size >= maxCountedIds) counted.clear();
  const fresh = { minute, calls: 0 };
  counted.set(id, fresh);
  return fresh;
}
