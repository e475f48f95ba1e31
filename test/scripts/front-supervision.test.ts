import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { silence } from '../../scripts/front-supervision.ts';

it('checks a front until it is stopped', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stopping = new AbortController();
  const { port } = server.address() as AddressInfo;
  const silent = silence(`http://127.0.0.1:${port}`, stopping.signal);
  await expect.poll(() => asked, { timeout: 5000 }).toBeGreaterThan(0);
  stopping.abort();
  await silent;
  const askedBefore = asked;
  await sleep(2500);
  expect(asked).toBe(askedBefore);
  server.close();
});

it('reports a front that fails several consecutive checks', async () => {
  const silent = silence('http://127.0.0.1:1', new AbortController().signal);
  await expect(silent).resolves.toBeUndefined();
});
