import { expect, it } from 'vitest';
import { roomFor } from '../../src/http/room.ts';

const MB = 1024 * 1024;
const soon = () => new Promise((done) => setTimeout(done, 60));

/** Room of an account that has taken so many bytes. */
async function taken(bytes: number, account?: string) {
  const room = roomFor(account);
  await room.take(bytes);
  return room;
}

/** Tells whether a body is in by now. */
async function entering(bytes: number, account?: string) {
  let isIn = false;
  const room = taken(bytes, account).then((place) => {
    isIn = true;
    return place;
  });
  await soon();
  return { isIn: () => isIn, room };
}

it('lets small bodies by, and the first large one whatever its size', async () => {
  using _large = await taken(50 * MB, 'a');
  await expect(taken(1000, 'b')).resolves.toBeDefined();
});

it('has a large body wait until another one leaves', async () => {
  const [one, two] = [await taken(14 * MB, 'a'), await taken(10 * MB, 'b')];
  const third = await entering(10 * MB, 'c');
  expect(third.isIn()).toBe(false);
  one[Symbol.dispose]();
  await soon();
  expect(third.isIn()).toBe(true);
  two[Symbol.dispose]();
  (await third.room)[Symbol.dispose]();
});

it('leaves room for a body of another account, however many one sends', async () => {
  using _one = await taken(7 * MB, 'a');
  using _two = await taken(7 * MB, 'a');
  const third = await entering(MB, 'a');
  expect(third.isIn()).toBe(false);
  using _other = await taken(9 * MB, 'b');
  expect(third.isIn()).toBe(false);
  _one[Symbol.dispose]();
  using _third = await third.room;
});

it('has callers without a key share a room of their own', async () => {
  using _keyless = await taken(15 * MB);
  const second = await entering(MB);
  expect(second.isIn()).toBe(false);
  using _keyed = await taken(24 * MB, 'a');
  _keyless[Symbol.dispose]();
  using _second = await second.room;
});

it('gives up after a while, with 503 and when to come back', { timeout: 20_000 }, async () => {
  const place = await taken(24 * MB, 'a');
  await expect(taken(MB, 'b')).rejects.toMatchObject({ status: 503, retryAfter: 5 });
  place[Symbol.dispose]();
  (await taken(24 * MB, 'a'))[Symbol.dispose]();
});
