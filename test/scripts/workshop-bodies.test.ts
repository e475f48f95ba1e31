import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { refuse } from '../../scripts/workshop-call.ts';
import { bodyReader, type BodyLimits } from '../../scripts/workshop-bodies.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Answers with the length of a body, or a refusal. */
async function serve(limits: BodyLimits): Promise<void> {
  const bodies = bodyReader(limits);
  server = createServer((request, response) => {
    const account = String(request.headers['x-account']);
    bodies.read(request, response, account).then(
      (body) => response.end(String(body.length)),
      (error: unknown) => error instanceof ServiceError && refuse(response, error),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

function open(account: string, bytes: number) {
  const { port } = server.address() as AddressInfo;
  const headers = { 'X-Account': account, 'Content-Length': bytes };
  const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers });
  sent.on('error', () => {});
  sent.flushHeaders();
  return sent;
}

async function answerTo(sent: ReturnType<typeof open>) {
  const [response] = await once(sent, 'response');
  return [response.statusCode as number, await text(response)];
}

async function send(account: string, bytes: number) {
  const sent = open(account, bytes);
  sent.end(Buffer.alloc(bytes));
  return answerTo(sent);
}

it('keeps within the budget of an account, and of all accounts', async () => {
  await serve({ totalBytes: 150, accountBytes: 100 });
  expect(await send('a', 100)).toEqual([200, '100']);
  expect((await send('a', 101))[0]).toBe(503);
  const [held, alsoHeld] = [open('a', 100), open('b', 50)];
  held.write(Buffer.alloc(99));
  alsoHeld.write(Buffer.alloc(49));
  await expect.poll(async () => (await send('a', 2))[0]).toBe(503);
  await expect.poll(async () => (await send('c', 3))[0]).toBe(503);
  expect((await send('c', 2))[0]).toBe(200);
  held.destroy();
  alsoHeld.destroy();
  await expect.poll(() => send('a', 100)).toEqual([200, '100']);
});

it('keeps nothing of a body that arrives after its timeout', async () => {
  await serve({ accountBytes: 100, arrivesWithinMs: (bytes) => (bytes === 90 ? 200 : 5000) });
  const slow = open('a', 90);
  slow.write(Buffer.alloc(30));
  expect((await answerTo(slow))[0]).toBe(408);
  slow.write(Buffer.alloc(30));
  // Also when the rest arrives after the answer, which closes the response.
  expect(await send('a', 100)).toEqual([200, '100']);
  slow.end(Buffer.alloc(30));
  await once(slow, 'close');
  expect(await send('a', 100)).toEqual([200, '100']);
});
