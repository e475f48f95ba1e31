import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  startDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../scripts/dispatcher.ts';

/** Computes, waits or answers, as its path says; `/` is the sign of life. */
const worker = `
const headers = { 'X-Workshop': 'true' };
export default {
  async fetch(request) {
    const [, kind, ms] = new URL(request.url).pathname.split('/');
    const body = await request.text();
    if (kind === 'compute') for (const end = Date.now() + Number(ms); Date.now() < end;);
    if (kind === 'wait') await scheduler.wait(Number(ms));
    return new Response(kind + ' ' + body, { headers });
  },
};`;

let folder: string;
let options: DispatcherOptions;
let dispatcher: Dispatcher;

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  folder = await mkdtemp(join(tmpdir(), 'dispatcher-'));
  const bundle = join(folder, 'bundle');
  await mkdir(bundle);
  await writeFile(join(bundle, 'worker.js'), worker);
  await writeFile(join(bundle, 'worker.js.map'), '');
  const socket = join(folder, 'dispatcher.sock');
  options = { count: 1, bundle, folder, socket, vars: {} };
  dispatcher = await startDispatcher(options);
});
afterEach(async () => {
  await dispatcher.stop();
  await rm(folder, { recursive: true });
});

interface Sent {
  account?: string;
  body?: string;
  limitMs?: number;
  computingMs?: number;
}

function send(path: string, { account = 'a', body = '', limitMs = 5000, computingMs }: Sent = {}) {
  const headers = {
    'X-Account': account,
    'X-Request-Id': 'test',
    'X-Time-Limit-Ms': limitMs,
    'X-Computing-Limit-Ms': computingMs ?? limitMs,
    'Content-Length': Buffer.byteLength(body),
  };
  const socketPath = join(folder, 'dispatcher.sock');
  const sent = httpRequest({ socketPath, path, method: 'POST', headers });
  sent.end(body);
  return sent;
}

async function call(path: string, options?: Sent) {
  const [response] = await once(send(path, options), 'response');
  return { status: response.statusCode as number, body: await text(response) };
}

it('forwards a call, and returns its answer', async () => {
  expect(await call('/echo/json', { body: 'hello' })).toEqual({ status: 200, body: 'echo hello' });
});

it('ends a call that computes for too long, and replaces its process', async () => {
  const [pid] = dispatcher.pids();
  const { status, body } = await call('/compute/60000', { limitMs: 500 });
  expect([status, JSON.parse(body)]).toMatchObject([503, { code: 'timeout' }]);
  expect((await call('/echo/json')).status).toBe(200);
  expect(dispatcher.pids()).not.toContain(pid);
});

it('ends a computation whose client has disconnected', async () => {
  const left = send('/compute/60000', { limitMs: 500 });
  left.on('error', () => {});
  await sleep(200);
  left.destroy();
  expect((await call('/echo/json')).status).toBe(200);
});

it('ends a call that waits for too long, and keeps its process for other calls', async () => {
  const [pid] = dispatcher.pids();
  const other = call('/wait/1500');
  const { body } = await call('/wait/60000', { limitMs: 500 });
  expect(JSON.parse(body)).toMatchObject({ code: 'timeout' });
  expect((await other).status).toBe(200);
  expect(dispatcher.pids()).toEqual([pid]);
});

it('serves other calls while some wait for an external service', async () => {
  const waiting = [call('/wait/3000'), call('/wait/3000'), call('/wait/3000')];
  await sleep(300);
  const begun = performance.now();
  expect((await call('/echo/json')).status).toBe(200);
  expect(performance.now() - begun).toBeLessThan(1000);
  await Promise.all(waiting);
});

it('retries a call in another process when a call of another client ended its process', async () => {
  const innocent = call('/wait/1000');
  await sleep(200);
  const guilty = call('/compute/60000', { limitMs: 400 });
  expect(JSON.parse((await guilty).body)).toMatchObject({ code: 'timeout' });
  expect(await innocent).toEqual({ status: 200, body: 'wait ' });
});

it('answers every call when a process is killed', async () => {
  const calls = Array.from({ length: 10 }, (_, i) => call('/wait/500', { account: `a${i}` }));
  await sleep(200);
  process.kill(dispatcher.pids()[0]!, 'SIGKILL');
  for (const { status } of await Promise.all(calls)) expect([200, 503]).toContain(status);
  expect((await call('/echo/json')).status).toBe(200);
});

it('is fair between accounts', async () => {
  const order: string[] = [];
  const noted = (account: string) =>
    call('/compute/50', { account }).then(() => void order.push(account));
  const busy = call('/compute/1500');
  await sleep(100);
  const many = Array.from({ length: 6 }, () => noted('many'));
  await sleep(50);
  await Promise.all([busy, ...many, noted('few')]);
  expect(order.indexOf('few')).toBeLessThanOrEqual(1);
});

it('limits one account to a part of the memory for bodies', async () => {
  const socketPath = join(folder, 'dispatcher.sock');
  const announce = (bytes: number) =>
    httpRequest({
      socketPath,
      path: '/echo/json',
      method: 'POST',
      headers: { 'X-Account': 'a', 'Content-Length': bytes },
    }).on('error', () => {});
  const most = 128 * 1024 * 1024;
  const [announced, sending] = [announce(10 * most), announce(most + 1)];
  announced.flushHeaders();
  sending.write(Buffer.alloc(most));
  await sleep(1500);
  const refused = await call('/echo/json', { body: 'x' });
  expect([refused.status, JSON.parse(refused.body)]).toMatchObject([503, { code: 'unavailable' }]);
  expect((await call('/echo/json', { body: 'x', account: 'b' })).status).toBe(200);
  sending.destroy();
  await sleep(200);
  // What is only announced takes nothing.
  expect((await call('/echo/json', { body: 'x' })).status).toBe(200);
  announced.destroy();
});

/** Command lines of running processes that name the test's folder. */
async function processesLeft(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.includes(folder));
}

it('leaves no process when it is stopped while it replaces a process', async () => {
  const [pid] = dispatcher.pids();
  process.kill(pid!, 'SIGKILL');
  // Its replacement has begun to exist, and does not answer yet.
  await expect.poll(dispatcher.pids, { interval: 1 }).toEqual([]);
  await expect.poll(processesLeft, { interval: 1 }).toHaveLength(1);
  await dispatcher.stop();
  await sleep(1000);
  expect(await processesLeft()).toEqual([]);
});

it('retries when a process cannot be replaced', async () => {
  const [source, away] = [join(options.bundle, 'worker.js'), join(folder, 'away.js')];
  await rename(source, away);
  process.kill(dispatcher.pids()[0]!, 'SIGKILL');
  await expect.poll(() => vi.mocked(console.error).mock.calls.length).toBeGreaterThan(0);
  await rename(away, source);
  await expect.poll(() => dispatcher.pids().length, { timeout: 10_000 }).toBe(1);
  expect((await call('/echo/json')).status).toBe(200);
});

it('leaves no process and no socket when the start fails', async () => {
  await dispatcher.stop();
  await expect(startDispatcher({ ...options, bundle: join(folder, 'none') })).rejects.toThrow(
    'ENOENT',
  );
  await expect(call('/echo/json')).rejects.toThrow('ENOENT');
  await writeFile(options.socket, 'somebody else listens here');
  await expect(startDispatcher({ ...options, count: 2 })).rejects.toThrow('EADDRINUSE');
  expect(await processesLeft()).toEqual([]);
});
