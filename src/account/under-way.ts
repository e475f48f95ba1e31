import { ServiceError } from '../errors.ts';

/** Milliseconds after which a call counts as ended, whatever became of it. */
const callLifetimeMs = 10 * 60_000;

/** When each call under way began, by account. */
const begun = new Map<string, Set<{ at: number }>>();

/**
 * Counts a call of a tool that computes or waits long, until the result is disposed of. Throws 429
 * when the account has as many under way in this isolate as it may.
 */
export function beginHeavyCall(account: string, limit: number): Disposable {
  const calls = begun.get(account) ?? new Set();
  const oldest = Date.now() - callLifetimeMs;
  for (const call of calls) if (call.at < oldest) calls.delete(call);
  if (calls.size >= limit) {
    const message = `more than ${limit} calls of tools that compute long at one time; wait for one to end`;
    throw new ServiceError('rate_limited', message, { retryAfter: 1 });
  }
  const call = { at: Date.now() };
  begun.set(account, calls.add(call));
  return {
    [Symbol.dispose]() {
      calls.delete(call);
      if (calls.size === 0) begun.delete(account);
    },
  };
}
