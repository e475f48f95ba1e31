import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { browserProxy } from '../../scripts/browser/proxy.ts';
import { freePort } from '../../scripts/free-port.ts';

/** Greets whoever connects. */
const server = createServer((socket) => socket.end('hello'));
server.listen(0);
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
afterAll(() => server.close());

/** Replies of SOCKS 5 (RFC 1928, section 6). */
const [granted, notAllowed, unreachable, refused] = [0, 2, 4, 5];

/**
 * Asks a proxy for a host by its name, as Chrome does.
 * @param addresses of the host, for the proxy's look-ups one after the other
 */
async function ask(
  host: string,
  {
    allowed = '',
    addresses = [[host]],
    to = port,
  }: { allowed?: string; addresses?: string[][]; to?: number } = {},
) {
  const lookups: string[][] = [];
  const proxy = browserProxy(allowed, async () => {
    lookups.push(addresses[Math.min(lookups.length, addresses.length - 1)]!);
    return lookups.at(-1)!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  });
  const proxyPort = await freePort();
  proxy.listen(proxyPort, '127.0.0.1');
  const answer = await request(proxyPort, host, to);
  proxy.close();
  return { ...answer, lookups: lookups.length };
}

/** Sends the request of a SOCKS client, and reads all that comes. */
async function request(proxyPort: number, host: string, to: number) {
  const socket = connect(proxyPort, '127.0.0.1');
  socket.write(Buffer.from([5, 1, 0]));
  await once(socket, 'data');
  socket.write(Buffer.from([5, 1, 0, 3, host.length, ...Buffer.from(host), to >> 8, to & 255]));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const all = Buffer.concat(chunks);
  return { reply: all[1], said: all.subarray(10).toString() };
}

it.each([
  ['a private host that is allowed', 'printer.local', 'printer.local, nas.local'],
  ['any private host, where all are', 'nas.local', 'true'],
])('connects to %s', async (_what, host, allowed) => {
  const answer = await ask(host, { allowed, addresses: [['127.0.0.1']] });
  expect(answer).toEqual({ reply: granted, said: 'hello', lookups: 1 });
});

it('connects to an allowed address, also by IPv6', async () => {
  expect(await ask('127.0.0.1', { allowed: '127.0.0.1' })).toMatchObject({ said: 'hello' });
  expect(await ask('::1', { allowed: '[::1]' })).toMatchObject({ said: 'hello' });
});

it('connects names below localhost to this machine, without a look-up', async () => {
  for (const host of ['localhost', 'app.localhost', 'localhost.']) {
    expect(await ask(host, { allowed: 'true' })).toEqual({
      reply: granted,
      said: 'hello',
      lookups: 0,
    });
    expect(await ask(host)).toEqual({ reply: notAllowed, said: '', lookups: 0 });
  }
});

it.each([
  ['127.0.0.1'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['10.1.2.3'],
  ['169.254.169.254'],
  ['fe80::1'],
  ['64:ff9b::7f00:1'],
])('refuses a name that leads to %s, alone or among public addresses', async (address) => {
  for (const addresses of [[address], ['93.184.215.14', address]]) {
    const answer = await ask('rebound.test', { addresses: [addresses], allowed: 'other.test' });
    expect(answer).toEqual({ reply: notAllowed, said: '', lookups: 1 });
  }
});

it.each([
  ['169.254.169.254'],
  ['169.254.1.1'],
  ['::ffff:169.254.169.254'],
  ['64:ff9b::a9fe:a9fe'],
  ['fe80::1'],
  ['fd00:ec2::254'],
  ['fd20:ce::254'],
  ['168.63.129.16'],
  ['100.100.100.200'],
  ['192.0.0.192'],
])('refuses %s whatever is allowed', async (address) => {
  for (const allowed of ['true', `meta.test,${address}`]) {
    for (const host of ['meta.test', address]) {
      expect(await ask(host, { allowed, addresses: [[address]] })).toMatchObject({
        reply: notAllowed,
      });
    }
  }
});

it("refuses this machine's own addresses, including public ones", async () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const { address } of own) {
    expect(await ask('own.test', { addresses: [[address]] })).toMatchObject({ reply: notAllowed });
  }
});

it('resolves a name once, and connects to the resolved address', async () => {
  const addresses = [['127.0.0.1'], ['127.0.0.2']];
  const answer = await ask('changing.test', { allowed: 'changing.test', addresses });
  expect(answer).toEqual({ reply: granted, said: 'hello', lookups: 1 });
});

it('survives a malformed host name', async () => {
  const proxy = browserProxy('true');
  const proxyPort = await freePort();
  proxy.listen(proxyPort, '127.0.0.1');
  for (const host of ['a\0b', '', 'x'.repeat(255)]) {
    expect(await request(proxyPort, host, port)).toMatchObject({ reply: unreachable });
  }
  proxy.close();
});

it('distinguishes a name without an address from a closed port', async () => {
  expect(await ask('nowhere.test', { addresses: [[]] })).toMatchObject({ reply: unreachable });
  const to = await freePort();
  expect(await ask('127.0.0.1', { allowed: 'true', to })).toMatchObject({ reply: refused });
});
