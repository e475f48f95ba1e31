// Runs the converter. Settings are environment variables; docs/configuration.md lists them.
import type { Server } from 'node:http';
import { isIPv4 } from 'node:net';
import { serve } from '@hono/node-server';
import { MiB } from '../../src/tools/tool.ts';
import { startEngines } from './engines.ts';
import { createServer } from './server.ts';

const setting = (name: string, standard: number) => Number(process.env[name] ?? standard);
const secret = process.env.CONVERTER_SECRET;
const hostname = process.env.HOST ?? '0.0.0.0';

const isLoopback =
  hostname === 'localhost' ||
  hostname === '::1' ||
  (isIPv4(hostname) && hostname.startsWith('127.'));
if (!secret && !isLoopback) {
  console.error(
    `CONVERTER_SECRET is not set, and anybody who reaches ${hostname} could use this converter. ` +
      'Set CONVERTER_SECRET, or HOST=127.0.0.1 to serve this machine only.',
  );
  process.exit(1);
}

const engines = await startEngines({
  seconds: setting('CONVERT_SECONDS', 30),
  queue: setting('CONVERT_QUEUE', 256),
  heap: setting('CONVERT_HEAP_MB', 1024) * MiB,
});
const server = serve({
  fetch: createServer(engines, secret).fetch,
  port: setting('PORT', 8080),
  hostname,
});
// Longer than clients keep idle connections open. Otherwise a document could be sent on a connection
// that the server is just closing.
(server as Server).keepAliveTimeout = 300_000;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    server.close();
    void engines.stop().then(() => process.exit(0));
  });
}
