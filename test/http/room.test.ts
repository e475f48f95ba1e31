import { expect, it } from 'vitest';
import { takeRoom } from '../../src/http/room.ts';

const MB = 1024 * 1024;
const soon = () => new Promise((done) => setTimeout(done, 60));

it('lets small bodies by, and the first large one whatever its size', async () => {
  const leave = await takeRoom(50 * MB);
  await expect(takeRoom(1000)).resolves.toBeTypeOf('function');
  leave();
});

it('has a large body wait until another one leaves', async () => {
  const [one, two] = [await takeRoom(14 * MB), await takeRoom(10 * MB)];
  let entered = false;
  const third = takeRoom(10 * MB).then((leave) => {
    entered = true;
    return leave;
  });
  await soon();
  expect(entered).toBe(false);
  one();
  await soon();
  expect(entered).toBe(true);
  two();
  (await third)();
});

it('gives up after a while, with 503 and when to come back', { timeout: 20_000 }, async () => {
  const leave = await takeRoom(24 * MB);
  await expect(takeRoom(MB)).rejects.toMatchObject({ status: 503, retryAfter: 5 });
  leave();
  (await takeRoom(24 * MB))();
});
