import { expect, it, vi } from 'vitest';
import { beginHeavyCall } from '../../src/account/under-way.ts';

it('refuses a call of an account at its limit, and no call of another account', () => {
  const calls = [beginHeavyCall('a', 2), beginHeavyCall('a', 2)];
  expect(() => beginHeavyCall('a', 2)).toThrow(
    expect.objectContaining({ status: 429, retryAfter: 1 }) as Error,
  );
  beginHeavyCall('b', 2)[Symbol.dispose]();
  calls[0]![Symbol.dispose]();
  // Disposing twice has no effect.
  calls[0]![Symbol.dispose]();
  const third = beginHeavyCall('a', 2);
  expect(() => beginHeavyCall('a', 2)).toThrow('more than');
  third[Symbol.dispose]();
  calls[1]![Symbol.dispose]();
});

it('stops counting a call that never ended after ten minutes', () => {
  vi.useFakeTimers();
  beginHeavyCall('lost', 1);
  expect(() => beginHeavyCall('lost', 1)).toThrow('more than');
  vi.advanceTimersByTime(11 * 60_000);
  beginHeavyCall('lost', 1)[Symbol.dispose]();
  vi.useRealTimers();
});
