import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fairQueue } from '../../src/shared/fair-queue.ts';

it('serves owners in rounds, and the items of each in their order', () => {
  const queue = fairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item[0]!, item);
  const order = Array.from({ length: 6 }, () => queue.shift());
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(queue.shift()).toBeUndefined();
});

it('lets nobody wait for more than one item of each other owner', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 }), (owners) => {
      const queue = fairQueue<{ owner: number }>();
      const items = owners.map((owner) => ({ owner }));
      for (const item of items) queue.push(String(item.owner), item);
      const since = new Map(owners.map((owner) => [owner, 0]));
      while (queue.size > 0) {
        const { owner } = queue.shift()!;
        for (const [other, waited] of since) since.set(other, waited + 1);
        expect(since.get(owner)).toBeLessThanOrEqual(5);
        since.set(owner, 0);
      }
    }),
  );
});

it('lets those first who have used little, and forgets what was used', () => {
  let now = 0;
  const queue = fairQueue<string>(() => now);
  queue.use('a', 5000);
  for (const item of ['a1', 'a2', 'b1', 'b2', 'c1']) queue.push(item[0]!, item);
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([
    'b1',
    'c1',
    'b2',
    'a1',
  ]);
  now = 10 * 60_000;
  queue.push('b', 'b3');
  expect(queue.shift()).toBe('a2');
});

it('forgets what is removed', () => {
  const queue = fairQueue<object>();
  const [gone, kept] = [{}, {}];
  queue.push('a', gone);
  queue.push('a', kept);
  queue.remove(gone);
  queue.remove(gone);
  expect(queue.size).toBe(1);
  expect(queue.shift()).toBe(kept);
});
