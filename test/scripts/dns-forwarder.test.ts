import { decode, encode, type Answer } from '@dnsquery/dns-packet';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startDnsForwarder } from '../../scripts/dns-forwarder.ts';
import { startDnsServer, withCode, type DnsServer } from '../resolver/dns-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'dns-'));
const socketPath = join(folder, 'resolver.sock');
const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
let logged: unknown[];

beforeEach(() => {
  logged = [];
  vi.spyOn(console, 'error').mockImplementation((message) => logged.push(message));
});
afterEach(async () => {
  for (const stop of stops.splice(1)) await stop();
});
afterAll(() => stops[0]!());

async function server(respond?: Parameters<typeof startDnsServer>[0]): Promise<DnsServer> {
  const started = await startDnsServer(respond);
  stops.push(started.stop);
  return started;
}

async function forwardTo(...servers: string[]) {
  const forwarder = await startDnsForwarder({ socket: socketPath, servers });
  stops.push(() => forwarder.stop());
}

/** Posts a query for a name to the forwarder. */
async function ask(name: string, type: Answer['type'] = 'A') {
  const query = encode({ type: 'query', id: 0, flags: 0x0100, questions: [{ name, type }] });
  const sent = request({ socketPath, agent: false, method: 'POST', path: '/dns-query' });
  sent.end(query);
  const [response] = await once(sent, 'response');
  const body = await buffer(response);
  return { status: response.statusCode as number, body };
}

/** The answers to a query. */
async function answersTo(name: string, type?: Answer['type']) {
  const { status, body } = await ask(name, type);
  expect(status).toBe(200);
  const { id, answers, rcode } = decode(body) as ReturnType<typeof decode> & { rcode: string };
  expect(id).toBe(0);
  return { rcode, data: answers!.map((answer) => (answer as { data: unknown }).data) };
}

/** An address at which no server listens. */
async function closedAddress(): Promise<string> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return `127.0.0.1:${port}`;
}

it("answers as Node's own resolver does", async () => {
  const { address } = await server();
  await forwardTo(address);
  const node = new Resolver();
  node.setServers([address]);
  expect((await answersTo('example.com', 'A')).data).toEqual(await node.resolve4('example.com'));
  expect((await answersTo('example.com', 'AAAA')).data).toEqual(await node.resolve6('example.com'));
  expect((await answersTo('example.com', 'NS')).data).toEqual(await node.resolveNs('example.com'));
  const mail = (await node.resolveMx('example.com')).map(({ exchange, priority }) => ({
    exchange,
    preference: priority,
  }));
  expect((await answersTo('example.com', 'MX')).data).toEqual(mail);
  await expect(node.resolve4('nothing.example.com')).rejects.toThrow('ENOTFOUND');
  expect(await answersTo('nothing.example.com')).toEqual({ rcode: 'NXDOMAIN', data: [] });
});

it('asks again by TCP when the answer by UDP is truncated', async () => {
  const { address, queries } = await server();
  await forwardTo(address);
  const { data } = await answersTo('many.example.com');
  const node = new Resolver();
  node.setServers([address]);
  expect(data).toHaveLength(100);
  expect(data.toSorted()).toEqual((await node.resolve4('many.example.com')).toSorted());
  expect(queries).toMatchObject({ udp: 2, tcp: 2 });
});

it.each([
  ['cannot be reached', closedAddress],
  ['does not answer', async () => (await server(() => [])).address],
  ['answers SERVFAIL', async () => (await server((message) => [withCode(message, 2)])).address],
  ['answers REFUSED', async () => (await server((message) => [withCode(message, 5)])).address],
  ['sends garbage', async () => (await server(() => [Buffer.from('garbage')])).address],
])('asks the next server when the first one %s', async (_, first) => {
  await forwardTo(await first(), (await server()).address);
  expect((await answersTo('cdn.example.net')).data).toEqual(['192.0.2.7']);
});

it('ignores answers to other queries', async () => {
  const { address } = await server((message) => {
    const otherId = Buffer.from(message);
    otherId[0]! ^= 1;
    otherId.set([6, 6, 6, 6], otherId.length - 4);
    const otherName = Buffer.from(message);
    otherName[13] = 'x'.charCodeAt(0);
    const query = Buffer.from(message);
    query[2]! &= 0x7f;
    return [otherId, otherName, query, message];
  });
  await forwardTo(address);
  expect((await answersTo('cdn.example.net')).data).toEqual(['192.0.2.7']);
});

it('passes on the error code when all servers answer with one', async () => {
  const { address } = await server((message) => [withCode(message, 2)]);
  await forwardTo(address, await closedAddress());
  expect((await answersTo('example.com')).rcode).toBe('SERVFAIL');
});

it('is a 504 when no server answers, and the log names the servers', async () => {
  const closed = await closedAddress();
  const { address } = await server(() => []);
  await forwardTo(closed, address);
  expect((await ask('example.com')).status).toBe(504);
  expect(logged.join('\n')).toContain(`${closed} (`);
  expect(logged.join('\n')).toContain(`${address} (timed out)`);
});

it('is a 400 for a body that is not a DNS message', async () => {
  await forwardTo(await closedAddress());
  const sent = request({ socketPath, agent: false, method: 'POST', path: '/dns-query' });
  sent.end('hello');
  const [response] = await once(sent, 'response');
  expect(response.statusCode).toBe(400);
  response.resume();
});
