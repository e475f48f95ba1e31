import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from './call.ts';
import { listeningOf, loopback } from './listening.ts';
import { descendantsOf } from './processes.ts';
import { startOwnService } from './service.ts';

let service: Awaited<ReturnType<typeof startOwnService>>;
beforeAll(async () => {
  service = await startOwnService();
  // Has a browser started.
  await post('screenshot', { url: service.url }, service.key, service.url);
});
afterAll(() => service?.stop());

/** Everything that the tools for development are made of. */
function sources(): string {
  const require = createRequire(import.meta.url);
  const wrangler = dirname(require.resolve('wrangler/package.json'));
  const miniflare = dirname(createRequire(require.resolve('wrangler')).resolve('miniflare'));
  const files = [
    ...globSync(join(miniflare, '**/*.js')),
    ...globSync(join(wrangler, '{wrangler-dist,templates}/**/*.{js,mjs,ts}')),
  ];
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

const source = sources();
const all = (pattern: RegExp) => [
  ...new Set(Array.from(source.matchAll(pattern), ([, it]) => it!)),
];
/** Paths that they serve, and some that they served once or that stand behind a parameter. */
const paths = [
  ...all(/["'`](\/(?:cdn-cgi|__\w+|core|browser)(?:\/[\w./-]*)?)/g),
  '/cdn-cgi/explorer/api/kv/namespaces',
  '/cdn-cgi/local/explorer/api/d1/database',
  '/cdn-cgi/local/r2/public/developer-utilities-files/a',
  '/cdn-cgi/mf/reload',
  '/cdn-cgi/handler/scheduled',
  '/__inspector',
  '/json/list',
];
const headers = all(/["'](MF-[\w-]*\w)["']/gi);
const [capnpHost] = all(/HOST_CAPNP_CONNECT = "([^"]+)"/g);

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  port?: number;
}

async function ask({ method = 'GET', path = '/', headers = {}, body, port }: Asked) {
  const chosen = port ?? Number(new URL(service.url).port);
  const sent = httpRequest({ host: '127.0.0.1', port: chosen, method, path, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode as number, body: await text(response) };
}

describe('the port of npm start', () => {
  it('knows the paths of development tools', () => {
    expect(paths).toContain('/cdn-cgi/local/explorer');
    expect(paths.length).toBeGreaterThan(30);
    expect(headers).toContain('MF-CF-Blob');
    expect(headers.length).toBeGreaterThan(20);
    expect(capnpHost).toBeTruthy();
  });

  it.each(['127.0.0.1', 'localhost', 'evil.example', '[::1]'])(
    'serves none of these paths, for Host: %s',
    async (host) => {
      const special = Object.fromEntries(headers.map((name) => [name, '1']));
      for (const path of paths) {
        for (const method of ['GET', 'POST']) {
          for (const sent of [{}, special, { Upgrade: 'websocket', Connection: 'Upgrade' }]) {
            const { status, body } = await ask({ method, path, headers: { Host: host, ...sent } });
            expect([status, body], `${method} ${path}`).toEqual([
              404,
              expect.stringContaining('"code":"not_found"'),
            ]);
          }
        }
      }
    },
  );

  it.each([
    ...headers.flatMap((name) => [`${name}: 1`, `${name}: {"clientIp":"1.2.3.4"}`]),
    'MF-Original-URL: http://127.0.0.1/cdn-cgi/local/scheduled',
    'MF-Route-Override: core:entry',
    'MF-Custom-Fetch-Service: loopback',
    'MF-Op: GET',
  ])('answers no differently with %s', async (header) => {
    const [name, value] = header.split(/: (.*)/) as [string, string];
    const call = (more: Record<string, string>) =>
      ask({
        method: 'POST',
        path: '/api/hash',
        headers: {
          Authorization: `Bearer ${service.key}`,
          'Content-Type': 'application/json',
          ...more,
        },
        body: '{"input":"hello"}',
      });
    expect(await call({ [name]: value })).toEqual(await call({}));
  });

  it('offers no RPC with the Worker by CONNECT', async () => {
    const { port } = new URL(service.url);
    const sent = httpRequest({ host: '127.0.0.1', port, method: 'CONNECT', path: capnpHost });
    const answered = Promise.race([
      once(sent, 'connect').then(([response]) => response.statusCode as number),
      once(sent, 'response').then(([response]) => response.statusCode as number),
      once(sent, 'error').then(() => 0),
    ]);
    sent.end();
    const status = await answered;
    sent.destroy();
    expect(status < 200 || status > 299).toBe(true);
  });
});

describe.skipIf(process.platform !== 'linux')('every other port of npm start', () => {
  const listening = () => {
    const started = [service.converter.pid, service.front(), ...service.workshops()];
    const pids = started.flatMap((pid) => [pid, ...descendantsOf(pid).map((each) => each.pid)]);
    // What the browser itself opens is in a network namespace of its own, where Linux allows one.
    const inside = started
      .flatMap(descendantsOf)
      .find(({ args }) => args.some((each) => each.endsWith('inside.ts')));
    const browsers = new Set(
      inside && [inside, ...descendantsOf(inside.pid)].map(({ pid }) => pid),
    );
    return listeningOf(pids.filter((pid) => !browsers.has(pid)));
  };

  it('listens on the loopback address only', () => {
    const addresses = listening().flatMap(({ path, address }) => (path ? [] : [address]));
    expect(new Set(addresses)).toEqual(new Set([loopback]));
  });

  it('is a Unix socket that other users cannot reach, or requires a secret', async () => {
    const sockets = listening();
    for (const { path } of sockets) {
      if (path) expect([path, statSync(dirname(path)).mode & 0o077]).toEqual([path, 0]);
    }
    const isPublic = (port: number) => port === Number(new URL(service.url).port);
    const ports = sockets.map(({ port }) => port).filter((port) => port && !isPublic(port));
    // The converter, the part of the front's Miniflare that starts browsers, and the DevTools of one.
    expect(ports.length).toBeLessThanOrEqual(3);
    for (const port of ports) {
      for (const path of ['/', '/convert', '/optimize', ...paths]) {
        for (const method of ['GET', 'POST']) {
          const { status, body } = await ask({ method, path, port });
          const isRefused = status === 401 || status === 403 || (status === 404 && body === '');
          expect([isRefused, status, body], `${method} ${path}`).toEqual([true, status, body]);
        }
      }
    }
  });
});
