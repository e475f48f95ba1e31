import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operator } from '../../scripts/operator.ts';
import { startOwnService } from './service.ts';

/** `npm start` stands behind no proxy that it knows of: whoever makes up an address gains nothing by it. */

let service: Awaited<ReturnType<typeof startOwnService>>;
beforeAll(async () => {
  service = await startOwnService();
});
afterAll(() => service?.stop());

let made = 0;
/** All headers by which proxies tell an address, and Miniflare's own, each with another address. */
function madeUpAddress(): Record<string, string> {
  const address = `198.51.100.${(made += 1) % 250}`;
  return {
    'CF-Connecting-IP': address,
    'X-Forwarded-For': address,
    'X-Real-IP': address,
    'True-Client-IP': address,
    Forwarded: `for=${address}`,
    'MF-CF-Blob': JSON.stringify({ clientIp: address }),
  };
}

const escape = (headers: Record<string, string>) =>
  fetch(`${service.url}/api/json-escape`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"input":"a"}',
  }).then(({ status }) => status);

/** Statuses of twice as many calls as are free and two more: a minute that begins in between changes nothing. */
async function manyTimes(call: () => Promise<number>): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let i = 0; i < 122; i++) statuses.add(await call());
  return statuses;
}

it('forged addresses do not bypass the limit of free calls', async () => {
  expect(await manyTimes(() => escape(madeUpAddress()))).toEqual(new Set([200, 429]));
});

it('a revoked key does not bypass the limit, neither over HTTP nor over MCP', async () => {
  const admin = operator(service.url, service.adminSecret);
  const { key, id } = await admin.createKey('revoked', 'test');
  const keyed = { authorization: `Bearer ${key}` };
  expect(await escape(keyed)).toBe(200);
  await admin.revokeKey('revoked', id);
  await sleep(1100);
  expect(await manyTimes(() => escape(keyed))).toContain(429);
  const message = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      ...keyed,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  expect(message.status).toBe(401);
});

it('wrong secrets of others do not lock the operator out', async () => {
  const ask = (secret: string, headers: Record<string, string>) =>
    fetch(`${service.url}/admin/accounts/local`, {
      headers: { ...headers, authorization: `Bearer ${secret}` },
    }).then(({ status }) => status);
  const guesses = Array.from({ length: 25 }, () =>
    ask('wrong', { 'CF-Connecting-IP': '127.0.0.1' }),
  );
  expect(new Set(await Promise.all(guesses))).toEqual(new Set([401, 429]));
  expect(await ask(service.adminSecret, { 'CF-Connecting-IP': '127.0.0.1' })).toBe(200);
  expect(await ask(service.adminSecret, {})).toBe(200);
});

/** Sends a request with a Host of another name, and returns what comes back. */
async function askAs(host: string, method: string, path: string, secret: string, body = '') {
  const headers = { host, authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const asking = request(`${service.url}${path}`, { method, headers });
  const answered = once(asking, 'response');
  asking.end(body);
  return text(((await answered) as [IncomingMessage])[0]);
}

it('links have the address of the service, whatever Host a request has', async () => {
  const picture = { content: 'R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', output_format: 'png' };
  const answers = await Promise.all([
    askAs('evil.example', 'POST', '/api/optimize-image/json', service.key, JSON.stringify(picture)),
    askAs('evil.example', 'POST', '/admin/accounts/a/sign-in-links', service.adminSecret, '{}'),
    askAs('evil.example', 'GET', '/openapi.json', ''),
    askAs('evil.example', 'GET', '/docs/hash.md', ''),
    askAs('evil.example', 'GET', '/llms.txt', ''),
    askAs('evil.example', 'GET', '/', ''),
  ]);
  for (const answer of answers) {
    expect(answer).toContain(service.url);
    expect(answer).not.toContain('evil.example');
  }
});

it('accepts forms from its own address, even if a proxy changes the Host', async () => {
  const link = await operator(service.url, service.adminSecret).signInLink('anybody', false);
  const submit = (origin: string) =>
    new Promise<number | undefined>((resolve) => {
      const headers = {
        host: 'behind.proxy',
        origin,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const options = { method: 'POST', headers };
      request(`${service.url}/dashboard/sign-in/link`, options, ({ statusCode }) =>
        resolve(statusCode),
      ).end(new URL(link).search.slice(1));
    });
  expect(await submit('http://evil.example')).toBe(403);
  expect(await submit(service.url)).toBe(303);
});
