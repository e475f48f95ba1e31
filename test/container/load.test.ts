import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConverter, type Converter } from '../../scripts/service.ts';
import { convert } from './converter.ts';

const seconds = 4;
const queue = 60;
const small = { content: '# hi\n\n*there*', from: 'markdown', to: 'html' };
/** A document for which pandoc would need many minutes. */
const endless = { content: '['.repeat(5000), from: 'markdown', to: 'html' };
let converter: Converter;

beforeAll(async () => {
  converter = await startConverter({
    CONVERT_SECONDS: String(seconds),
    CONVERT_QUEUE: String(queue),
  });
});
afterAll(() => converter.stop());

/** Returns the child processes of the converter. */
const children = () =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(converter.pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number);

const megabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;

it('ends a conversion that takes too long, and serves other calls meanwhile', async () => {
  const start = performance.now();
  const hung = convert(converter, endless);
  for (let i = 0; i < 20; i++) expect((await convert(converter, small)).status).toBe(200);
  expect(performance.now() - start).toBeLessThan(seconds * 1000);
  expect(await hung).toMatchObject({
    status: 422,
    message: `content: takes longer than ${seconds} s to convert`,
  });
});

it('converts small documents while large ones wait', async () => {
  const large = { ...small, content: 'word *word* `word`\n\n'.repeat(20_000) };
  const busy = [1, 2, 3].map(() => convert(converter, large));
  const start = performance.now();
  await Promise.all([1, 2, 3, 4].map(() => convert(converter, small)));
  const waited = performance.now() - start;
  const statuses = (await Promise.all(busy)).map(({ status }) => status);
  expect(statuses.every((status) => status === 200 || status === 422)).toBe(true);
  expect(waited).toBeLessThan((performance.now() - start) / 2);
});

it('answers each of 300 concurrent calls, with Retry-After when the queue is full', async () => {
  const replies = await Promise.all(Array.from({ length: 300 }, () => convert(converter, small)));
  const done = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status === 503);
  expect(done.length + refused.length).toBe(300);
  expect(done.length).toBeGreaterThanOrEqual(queue);
  expect(refused.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
  expect((await convert(converter, small)).status).toBe(200);
});

it('answers even if its processes are killed', async () => {
  const toPdf = { ...small, to: 'pdf' };
  expect((await convert(converter, toPdf)).status).toBe(200);
  for (let i = 0; i < 5; i++) {
    const asked = [1, 2, 3].map(() => convert(converter, toPdf));
    await sleep(20 * i);
    const [victim] = children();
    if (victim) process.kill(victim, 'SIGKILL');
    const replies = await Promise.all(asked);
    expect(replies.map(({ status, message }) => [status, message])).toEqual(
      replies.map(() => [200, '']),
    );
  }
});

it('is fair between accounts', async () => {
  const abort = new AbortController();
  const send = (account: string, body: object, signal?: AbortSignal) =>
    fetch(`${converter.url}/convert`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${converter.secret}`,
        'x-account': account,
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const many = Array.from({ length: 20 }, () => send('many', endless, abort.signal));
  await sleep(300);
  const start = performance.now();
  expect((await send('few', small)).status).toBe(200);
  // Those that run now have to end, and none of the others.
  expect(performance.now() - start).toBeLessThan(2 * seconds * 1000);
  abort.abort();
  await Promise.allSettled(many);
});

it('ends a conversion whose client has disconnected', async () => {
  const abort = new AbortController();
  const gone = fetch(`${converter.url}/convert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${converter.secret}` },
    body: JSON.stringify(endless),
    signal: abort.signal,
  });
  await sleep(300);
  abort.abort();
  await expect(gone).rejects.toThrow('aborted');
  // Nothing is left to do: all processor time of half a second is nobody's.
  await sleep(500);
  const time = () => Number(readFileSync(`/proc/${converter.pid}/stat`, 'utf8').split(' ')[13]);
  const before = time();
  await sleep(500);
  expect(time() - before).toBeLessThan(25);
});

it('releases the memory of large documents', async () => {
  const picture = Buffer.alloc(8_000_000, 1).toString('base64');
  const large = { ...small, content: '![](a.png)', to: 'docx', files: { 'a.png': picture } };
  const afterMore = async (times: number) => {
    for (let i = 0; i < times; i++) expect((await convert(converter, large)).status).toBe(200);
    for (let i = 0; i < 20; i++) await convert(converter, small);
    await sleep(1000);
    return megabytes(converter.pid);
  };
  const first = await afterMore(4);
  expect((await afterMore(8)) - first).toBeLessThan(150);
});

it('requires its secret', async () => {
  const headers = { authorization: 'Bearer wrong' };
  const { status } = await fetch(`${converter.url}/convert`, { method: 'POST', headers });
  expect(status).toBe(401);
});
