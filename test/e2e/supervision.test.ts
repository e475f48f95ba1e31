import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post } from './call.ts';
import { startOwnService } from './service.ts';

let service: Awaited<ReturnType<typeof startOwnService>>;
beforeAll(async () => {
  service = await startOwnService({ LINK_SECONDS: '1' });
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

it('replaces a killed front', async () => {
  const killed = service.front();
  process.kill(-killed, 'SIGKILL');
  expect(await untilAnswered()).toBeLessThan(10);
  await expect.poll(() => service.front(), { timeout: 10_000 }).not.toBe(killed);
});

it('replaces a front that no longer answers', async () => {
  const stopped = service.front();
  process.kill(frontsWorkerd(), 'SIGSTOP');
  expect(await untilAnswered()).toBeLessThan(30);
  await expect.poll(() => service.front(), { timeout: 10_000 }).not.toBe(stopped);
});

it('replaces a killed workshop process', async () => {
  process.kill(service.workshops()[0]!, 'SIGKILL');
  const body = { type: 'json', input: '1' };
  expect((await post('validate', body, service.key, service.url)).status).toBe(200);
});

it('removes expired results when a front starts', async () => {
  const stored = async () => {
    const names = await readdir(join(service.state, 'v3/r2'), { recursive: true });
    return names.filter((name) => name.includes('/blobs/'));
  };
  const document = { content: '# A', from: 'markdown', to: 'docx' };
  const converted = await post('convert-document', document, service.key, service.url);
  expect(await converted.json()).toHaveProperty('output_url');
  expect(await stored()).toHaveLength(1);
  await sleep(1500);
  process.kill(-service.front(), 'SIGKILL');
  await expect.poll(stored, { timeout: 20_000 }).toEqual([]);
});
