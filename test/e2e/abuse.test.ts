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

  it('declares 100 MB is a 413 at once', async () => {
    expect(await statusOf(await begin('Content-Length: 104857600'))).toBe(413);
  });

  it('arrives at a byte a second is a 408, and delays no other call', async () => {
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

  it.each([
    ['/api/hash', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['/api/hash', '-1\r\n{}\r\n0\r\n\r\n'],
    ['/api/uuid', '2\n{}\n0\n\n'],
    ['/api/uuid', '15\r\n{"action":"generate"}\r\nx'],
    ['/mcp', 'zz\r\n{}\r\n0\r\n\r\n'],
  ])('comes to %s in malformed chunks is a 400: %j', async (path, body) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    open.push(socket);
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: close',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    const [said] = (await once(socket, 'data')) as [Buffer];
    expect(String(said).split('\r\n', 1)[0]).toBe('HTTP/1.1 400 Bad Request');
  });

  it.each([
    ['/dashboard/sign-in', 'application/x-www-form-urlencoded', {}],
    ['/dashboard/sign-in/link', 'application/x-www-form-urlencoded', {}],
    ['/admin/accounts/abuse/credits', 'application/json', { authorization: 'Bearer operator' }],
  ])('is larger than what %s takes is a 413', async (path, type, headers) => {
    const ask = (body: BodyInit, more: object = {}) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': type, origin: service.url, ...headers },
        body,
        ...more,
      });
    const large = new Uint8Array(100_000).fill(0x61);
    expect((await ask(large)).status).toBe(413);
    expect((await ask(new Blob([large]).stream(), { duplex: 'half' })).status).toBe(413);
  });

  it('breaks off costs nothing', async () => {
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
  it('is too large is refused', async () => {
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

describe('two hundred bodies that stop arriving delay no other call', () => {
  const form = 'multipart/form-data; boundary=x';
  const doors: [door: string, path: string, type: string, as: 'nobody' | 'slow' | 'operator'][] = [
    ['a message without a key', '/mcp', 'application/json', 'nobody'],
    ['a message with a key', '/mcp', 'application/json', 'slow'],
    ['JSON of a light tool', '/api/hash', 'application/json', 'slow'],
    ['JSON of a tool that computes', '/api/validate', 'application/json', 'slow'],
    ['JSON of a free tool without a key', '/api/json-escape', 'application/json', 'nobody'],
    ['text of a free tool with a key', '/api/json-escape', 'text/plain', 'slow'],
    ['a form', '/api/detect-file/upload', form, 'slow'],
    ['a form of another account’s pictures', '/api/optimize-image', form, 'slow'],
    ['an operator’s JSON', '/admin/accounts/abuse/credits', 'application/json', 'operator'],
    [
      'the form of the sign-in page',
      '/dashboard/sign-in',
      'application/x-www-form-urlencoded',
      'nobody',
    ],
  ];
  let slowKey: string;
  beforeAll(async () => {
    const admin = operator(service.url, service.adminSecret);
    ({ key: slowKey } = await admin.createKey('slow', 'test'));
    await admin.grant('slow', 1_000_000);
  });

  /** Sends a request whose body has 9 MB, of which only the first bytes arrive. */
  async function stop(path: string, type: string, secret: string | undefined, sent: number) {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    open.push(socket);
    await once(socket, 'connect');
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      `Content-Type: ${type}`,
      'Accept: application/json, text/event-stream',
      ...(secret ? [`Authorization: Bearer ${secret}`] : []),
      'Content-Length: 9000000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write('a'.repeat(sent));
  }

  /** Milliseconds for a call with a large body, and for one with a large answer. */
  async function largeCallsMs(): Promise<number> {
    const start = performance.now();
    const hashed = await hash(key, {
      body: JSON.stringify({ input: 'a'.repeat(9_000_000) }),
      signal: AbortSignal.timeout(20_000),
    });
    const encoded = await fetch(`${service.url}/api/encode`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'a'.repeat(1_000_000), format: 'hex', action: 'encode' }),
      signal: AbortSignal.timeout(20_000),
    });
    expect([hashed.status, encoded.status]).toEqual([200, 200]);
    await encoded.arrayBuffer();
    return performance.now() - start;
  }

  const quantities: [how: string, sent: number][] = [
    ['announced', 1],
    ['begun', 300_000],
  ];
  const cases = doors.flatMap((door) => quantities.map((each) => [...door, ...each] as const));
  it.each(cases)(
    '%s (%s, %s, by %s, %s)',
    async (_door, path, type, as, _how, sent) => {
      const secret = { nobody: undefined, slow: slowKey, operator: service.adminSecret }[as];
      await Promise.all(Array.from({ length: 200 }, () => stop(path, type, secret, sent)));
      await sleep(1000);
      expect(await largeCallsMs()).toBeLessThan(5000);
    },
    60_000,
  );

  it('of the same account either, when only their first bytes arrive', async () => {
    for (const path of ['/api/hash', '/mcp']) {
      const stopped = Array.from({ length: 100 }, () =>
        stop(path, 'application/json', key, 10_000),
      );
      await Promise.all(stopped);
    }
    await sleep(1000);
    expect(await largeCallsMs()).toBeLessThan(5000);
  });
});

describe('invalid keys', () => {
  it('are looked up one by one when an address sends many, and do not block valid keys', async () => {
    const admin = operator(service.url, service.adminSecret);
    // A key that the service has not seen in use: it has to be looked up among the others.
    const { key: unused } = await admin.createKey('abuse', 'unused');
    const lookUps = countLookUps();
    const start = performance.now();
    const guesses = Array.from({ length: 800 }, () => hash(createKey()));
    const right = hash(unused);
    expect((await right).status).toBe(200);
    const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
    expect([...statuses]).toEqual([401]);
    // 600 at once, and 200 at intervals of 20 ms; or all at once when a minute began in between.
    const seconds = (performance.now() - start) / 1000;
    expect(lookUps.count()).toBe(801);
    if (new Date().getSeconds() > seconds) expect(seconds).toBeGreaterThan(3.5);
    lookUps.stop();
  });

  it('are not looked up repeatedly', async () => {
    const lookUps = countLookUps();
    const same = createKey();
    for (let i = 0; i < 5; i++) expect((await hash(same)).status).toBe(401);
    expect(lookUps.count()).toBe(1);
    lookUps.stop();
  });

  it('are not looked up when malformed', async () => {
    const lookUps = countLookUps();
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const guesses = Array.from({ length: 700 }, () => hash(mistyped));
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(401);
    expect(lookUps.count()).toBe(0);
    lookUps.stop();
  });
});

/** Counts what is asked of KV from now on. */
function countLookUps() {
  const { respond } = service.kv;
  let count = 0;
  service.kv.respond = (request, response) => {
    if (request.method === 'GET') count += 1;
    return respond(request, response);
  };
  return { count: () => count, stop: () => void (service.kv.respond = respond) };
}

describe('a Host that', () => {
  const doors = [
    'GET /',
    'GET /docs',
    'GET /docs/hash.md',
    'GET /openapi.json',
    'GET /dashboard',
    'GET /dashboard/sign-in?token=x',
    'POST /dashboard/sign-in',
    'POST /mcp',
    'POST /api/hash',
    'GET /nothing',
  ];
  const odd = [
    'a"b',
    'a b',
    '',
    '[',
    '[::1',
    'a:99999',
    'a:b',
    'user@host',
    'user:secret@host',
    'bücher.example',
    'a/b',
    '127.0.0.1/health?',
    '127.0.0.1/api',
    'a?b',
    'a#b',
    'a\\b',
    'a%',
    '%41',
    '<x>',
    "a'b",
    '1.2.3.256',
    'x'.repeat(2000),
  ];

  async function ask(door: string, host: string): Promise<string> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    open.push(socket);
    const body = '{"input":"a"}';
    const head = [
      `${door} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: close',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${door.startsWith('POST') ? body.length : 0}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${door.startsWith('POST') ? body : ''}`);
    let said = '';
    for await (const data of socket) said += String(data);
    return said;
  }

  it.each(odd)('is %j is a 400 at every door, without internals', async (host) => {
    for (const door of doors) {
      const said = await ask(door, host);
      expect([door, said.split('\r\n', 1)[0]]).toEqual([door, 'HTTP/1.1 400 Bad Request']);
      expect(said).not.toMatch(/\bat |TypeError|\.js\b/);
    }
  });

  it.each([
    'localhost',
    'utilities.example:8443',
    '127.0.0.1:8787',
    '[::1]:8787',
    'xn--bcher-kva.example',
  ])('is %s is served, and is where the answer leads', async (host) => {
    expect(await ask('GET /openapi.json', host)).toContain(`"servers":[{"url":"http://${host}"}]`);
  });
});
