import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { countCall, learnCalls, takeTurn } from '../../src/account/rate.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:15Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

it('allows `limit` calls in a minute and returns the remaining ones', () => {
  const allowances = [1, 2, 3].map(() => countCall('a', 2));
  expect(allowances).toEqual([
    { allowed: true, limit: 2, remaining: 1, reset: 45 },
    { allowed: true, limit: 2, remaining: 0, reset: 45 },
    { allowed: false, limit: 2, remaining: 0, reset: 45 },
  ]);
  expect(countCall('b', 2).allowed).toBe(true);
});

it('resets the count every minute', () => {
  countCall('c', 1);
  expect(countCall('c', 1).allowed).toBe(false);
  vi.setSystemTime(Date.parse('2026-01-01T00:01:00Z'));
  expect(countCall('c', 1)).toMatchObject({ allowed: true, reset: 60 });
});

it('counts the calls in other isolates', () => {
  countCall('d', 10);
  learnCalls('d', 10);
  expect(countCall('d', 10).allowed).toBe(false);
  learnCalls('d', 3); // an older answer
  expect(countCall('d', 10).allowed).toBe(false);
});

it('reserves turns one after the other, and none beyond the longest wait', () => {
  const turn = () => takeTurn('e', 20, 50);
  expect([turn(), turn(), turn(), turn()]).toEqual([0, 20, 40, undefined]);
  expect(takeTurn('f', 20, 50)).toBe(0);
  vi.advanceTimersByTime(45);
  expect([turn(), turn(), turn()]).toEqual([15, 35, undefined]);
});
