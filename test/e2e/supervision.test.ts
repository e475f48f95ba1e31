import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post } from './call.ts';
import { startOwnService } from './service.ts';

let service: Awaited<ReturnType<typeof startOwnService>>;
beforeAll(async () => {
  service = await startOwnService();
});
afterAll(() => service?.stop());

/** Seconds until a call is answered again. */
async function untilAnswered(): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const answer = post('hash', { input: 'a' }, service.key, service.url);
    const late = sleep(1000).then(() => undefined);
    const reply = await Promise.race([answer.catch(() => undefined), late]);
    if (reply?.status === 200) return (performance.now() - begun) / 1000;
    await sleep(100);
  }
}

/** The workerd of the front. */
const frontsWorkerd = () =>
  Number(
    execFileSync('pgrep', ['--parent', String(service.front())], { encoding: 'utf8' }).split(
      '\n',
    )[0],
  );

it('has another front soon after one was killed', async () => {
  const killed = service.front();
  process.kill(-killed, 'SIGKILL');
  expect(await untilAnswered()).toBeLessThan(10);
  await expect.poll(() => service.front(), { timeout: 10_000 }).not.toBe(killed);
});

it('has another front when one does not answer any more', async () => {
  const stopped = service.front();
  process.kill(frontsWorkerd(), 'SIGSTOP');
  expect(await untilAnswered()).toBeLessThan(30);
  await expect.poll(() => service.front(), { timeout: 10_000 }).not.toBe(stopped);
});

it('has another workshop soon after one was killed', async () => {
  process.kill(service.workshops()[0]!, 'SIGKILL');
  const begun = performance.now();
  const body = { type: 'json', input: '1' };
  expect((await post('validate', body, service.key, service.url)).status).toBe(200);
  expect(performance.now() - begun).toBeLessThan(3000);
});
