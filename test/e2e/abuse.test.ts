import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { operator } from '../../scripts/operator.ts';
import { startDeployed, type Deployed } from '../../scripts/workerd.ts';
import { createKey } from '../../src/account/key.ts';

// What no well-behaved client sends, over plain sockets.
let service: Deployed;
let key: string;
const open: Socket[] = [];

beforeAll(async () => {
  service = await startDeployed();
  const admin = operator(service.url, service.adminSecret);
  ({ key } = await admin.createKey('abuse', 'test'));
  await admin.grant('abuse', 1_000_000);
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  // Whatever came before, others are served.
  const answer = await hash(key, { signal: AbortSignal.timeout(5000) });
  if (!answer.ok) throw new Error(`the next call got ${answer.status}`);
});
afterAll(() => service?.stop());

const hash = (as: string, init: RequestInit = {}) =>
  fetch(`${service.url}/api/hash`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    body: '{"input":"hello"}',
    ...init,
  });

/** Opens a connection and sends the head of a request to the hash tool. */
async function begin(...headers: string[]): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  open.push(socket);
  await once(socket, 'connect');
  const usual = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Host: x'];
  socket.write(['POST /api/hash HTTP/1.1', ...usual, ...headers, '', ''].join('\r\n'));
  return socket;
}

/** The status that comes back; 0 when the connection ends without one. */
function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let said = '';
    socket.on('data', (data) => {
      said += data.toString();
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(said) ?? [];
      if (status) resolve(Number(status));
    });
    socket.on('close', () => resolve(0));
  });
}

describe('a body that', () => {
  it('never ends is a 413', async () => {
    const socket = await begin('Transfer-Encoding: chunked');
    const status = statusOf(socket);
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
    const sending = setInterval(() => socket.write(chunk), 10);
    expect(await status).toBe(413);
    clearInterval(sending);
  });

  it('is said to have 100 MB is a 413 at once', async () => {
    expect(await statusOf(await begin('Content-Length: 104857600'))).toBe(413);
  });

  it('comes a byte a second is a 408, and hinders nobody meanwhile', async () => {
    const slow = await Promise.all(
      Array.from({ length: 20 }, () => begin(`Content-Length: ${100_000}`)),
    );
    const sending = setInterval(() => slow.forEach((socket) => socket.write(' ')), 1000);
    const statuses = Promise.all(slow.map(statusOf));
    for (let i = 0; i < 10; i++) {
      expect((await hash(key)).status).toBe(200);
      await sleep(500);
    }
    expect(await statuses).toEqual(Array.from({ length: 20 }, () => 408));
    clearInterval(sending);
  }, 60_000);

  it('stops in the middle costs nothing', async () => {
    const admin = operator(service.url, service.adminSecret);
    const charged = async () =>
      (await admin.describe('abuse')).usage.reduce((sum, { credits }) => sum + credits, 0);
    await sleep(1500);
    const before = await charged();
    const socket = await begin('Content-Length: 1000');
    socket.write('{"input":');
    await sleep(100);
    socket.destroy();
    await sleep(1500);
    expect(await charged()).toBe(before);
  });

  it.each([
    ['numbers without end', '{"type":"password","length":1e400}'],
    ['a number of a million digits', `{"type":"password","length":${'9'.repeat(1e6)}}`],
    ['100,000 levels', `{"type":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['100,000 fields', `{${Array.from({ length: 100_000 }, (_, i) => `"f${i}":1`).join()}}`],
    ['a prototype', '{"__proto__":{"type":"password"}}'],
  ])('has %s is a 422', async (_, body) => {
    const answer = await fetch(`${service.url}/api/generate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(422);
  });
});

describe('a head that', () => {
  it('is flooded is refused, and no more', async () => {
    const headers = Array.from({ length: 20_000 }, (_, i) => `X-Header-${i}: ${'a'.repeat(50)}`);
    const status = await statusOf(await begin(...headers));
    expect(status === 0 || (status >= 400 && status < 500)).toBe(true);
  });

  it.each([
    '/api/../admin/accounts/abuse',
    '/api/%2e%2e/admin/accounts/abuse',
    '//admin/accounts/abuse',
    '/admin/accounts/abuse',
    '/admin/accounts/abuse%00',
    '/api/hash%00',
    '/api/%ff',
    '/api//hash',
    '/api/hash/',
    '/api/constructor',
    '/files/..%2f..%2fkeys',
    '/dashboard/../admin/accounts/abuse',
    '/docs/..%2fadmin',
  ])('asks for %s gets nothing', async (path) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    open.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const status = await statusOf(socket);
    expect([303, 400, 401, 403, 404, 405]).toContain(status);
  });
});

it('gives no longer any word to an address that tries too many keys, but to keys that it knows', async () => {
  const guesses = await Promise.all(Array.from({ length: 700 }, () => hash(createKey())));
  const counts = Map.groupBy(guesses, ({ status }) => status);
  expect([...counts.keys()].toSorted()).toEqual([401, 429]);
  expect(counts.get(401)!.length).toBeGreaterThanOrEqual(600);
  const refused = await hash(createKey());
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await hash(key)).status).toBe(200);
});
