import { expect, it } from 'vitest';
import { takeRoom } from '../../src/http/room.ts';

const MB = 1024 * 1024;
const soon = () => new Promise((done) => setTimeout(done, 60));

it('lets small bodies by, and the first large one whatever its size', async () => {
  using _large = await takeRoom(50 * MB);
  await expect(takeRoom(1000)).resolves.toBeDefined();
});

it('has a large body wait until another one leaves', async () => {
  const [one, two] = [await takeRoom(14 * MB), await takeRoom(10 * MB)];
  let entered = false;
  const third = takeRoom(10 * MB).then((place) => {
    entered = true;
    return place;
  });
  await soon();
  expect(entered).toBe(false);
  one[Symbol.dispose]();
  await soon();
  expect(entered).toBe(true);
  two[Symbol.dispose]();
  (await third)[Symbol.dispose]();
});

it('gives up after a while, with 503 and when to come back', { timeout: 20_000 }, async () => {
  const place = await takeRoom(24 * MB);
  await expect(takeRoom(MB)).rejects.toMatchObject({ status: 503, retryAfter: 5 });
  place[Symbol.dispose]();
  (await takeRoom(24 * MB))[Symbol.dispose]();
});
