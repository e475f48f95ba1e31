import { ServiceError } from '../errors.ts';

/** Where a caller stands in the current minute. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the next minute begins. */
  reset: number;
}

const rememberAtMost = 50_000;

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

/** Counts a call; throws 429 when it is one too many. */
export function requireCall(id: string, limit: number) {
  const allowance = countCall(id, limit);
  if (!allowance.allowed) throw overLimit(allowance);
}

/** Takes back a call that should not have counted. */
export function uncountCall(id: string) {
  current(id, Date.now()).calls -= 1;
}

/** When the next turn of an id begins, in Unix milliseconds. */
const turns = new Map<string, number>();

/**
 * Gives a call of an id the next turn; turns are `intervalMs` apart. Returns the milliseconds until it
 * begins; undefined, and gives no turn, when they would be more than `longestMs`.
 */
export function takeTurn(id: string, intervalMs: number, longestMs: number): number | undefined {
  const now = Date.now();
  const turn = Math.max(now, turns.get(id) ?? 0);
  if (turn - now > longestMs) return undefined;
  if (turns.size >= rememberAtMost) turns.clear();
  turns.set(id, turn + intervalMs);
  return turn - now;
}

export const overLimit = ({ limit, reset }: Allowance) =>
  new ServiceError('rate_limited', `more than ${limit} calls in a minute`, { retryAfter: reset });

/** Takes in what other isolates counted, as the account says. */
export function learnCalls(id: string, calls: number) {
  const window = current(id, Date.now());
  window.calls = Math.max(window.calls, calls);
}

function current(id: string, now: number) {
  const minute = Math.floor(now / 60_000);
  const known = counted.get(id);
  if (known?.minute === minute) return known;
  if (counted.size >= rememberAtMost) counted.clear();
  const fresh = { minute, calls: 0 };
  counted.set(id, fresh);
  return fresh;
}
