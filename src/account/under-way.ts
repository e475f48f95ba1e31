import { ServiceError } from '../errors.ts';

/** Milliseconds after which a call counts as ended even if it was never disposed of. */
const callLifetimeMs = 10 * 60_000;

/** Start times of the running calls, by account. */
const running = new Map<string, Set<{ at: number }>>();

/**
 * Counts a call of a tool that computes or waits long, until the returned object is disposed of. Throws
 * 429 when `limit` such calls of the account already run in this isolate.
 */
export function beginHeavyCall(account: string, limit: number): Disposable {
  const calls = running.get(account) ?? new Set();
  const oldest = Date.now() - callLifetimeMs;
  for (const call of calls) if (call.at < oldest) calls.delete(call);
  if (calls.size >= limit) {
    const message = `more than ${limit} concurrent calls of tools that compute or wait long; wait for one to end`;
    throw new ServiceError('rate_limited', message, { retryAfter: 1 });
  }
  const call = { at: Date.now() };
  running.set(account, calls.add(call));
  return {
    [Symbol.dispose]() {
      calls.delete(call);
      if (calls.size === 0) running.delete(account);
    },
  };
}
