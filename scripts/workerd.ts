import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './service.ts';

const root = resolve(import.meta.dirname, '..');

/** A service that the Worker is bound to; whoever sets `respond` makes it fail. */
export interface Outside {
  respond: RequestListener;
}

export interface Deployed {
  url: string;
  adminSecret: string;
  /** A bare Hono route in the same workerd, if it was asked for. */
  bare: string;
  kv: Outside;
  r2: Outside;
  /** Of workerd, as it runs now. */
  pid(): number;
  /** Ends workerd at once, and starts it again on what it had written. */
  crash(): Promise<void>;
  stop(): void;
}

/**
 * Runs the bundle that `wrangler deploy` would upload, in workerd alone, without the proxy and the
 * simulators of `wrangler dev`: Durable Objects on disk, KV and R2 by HTTP in this process.
 *
 * @param vars bindings of text beside the usual ones
 */
export async function startDeployed({
  vars = {},
  bare = false,
}: { vars?: Record<string, string>; bare?: boolean } = {}): Promise<Deployed> {
  const folder = mkdtempSync(join(tmpdir(), 'workerd-'));
  bundle('wrangler.toml', join(folder, 'service'));
  if (bare) bundle('bench/bare.toml', join(folder, 'bare'));
  mkdirSync(join(folder, 'objects'));
  const [kv, r2] = await Promise.all([startOutside(keyValues()), startOutside(forgetfulR2)]);
  const ports = {
    service: await freePort(),
    bare: bare ? await freePort() : undefined,
    kv: kv.port,
    r2: r2.port,
  };
  const adminSecret = 'operator';
  writeFileSync(
    join(folder, 'config.capnp'),
    config(folder, ports, { ADMIN_SECRET: adminSecret, ...vars }),
  );
  const url = `http://127.0.0.1:${ports.service}`;
  let child = await serve(folder, url);
  return {
    url,
    adminSecret,
    bare: `http://127.0.0.1:${ports.bare}`,
    kv: kv.outside,
    r2: r2.outside,
    pid: () => child.pid!,
    async crash() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      child = await serve(folder, url);
    },
    stop() {
      child.kill('SIGKILL');
      kv.stop();
      r2.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function serve(folder: string, url: string): Promise<ChildProcess> {
  const child = spawn(workerd(), ['serve', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await answering(url, once(child, 'exit'));
  return child;
}

/** Serves what `outside.respond` gives at the time. */
export async function startOutside(respond: RequestListener) {
  const one: Outside = { respond };
  const server = createServer((request, response) => one.respond(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    outside: one,
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function bundle(config: string, folder: string) {
  const args = [
    'deploy',
    '--config',
    config,
    '--dry-run',
    '--containers-rollout=none',
    '--outdir',
    folder,
  ];
  const { status, stderr } = spawnSync(join(root, 'node_modules/.bin/wrangler'), args, {
    cwd: root,
  });
  if (status !== 0) throw new Error(`wrangler cannot bundle by ${config}: ${String(stderr)}`);
}

/** wrangler's own workerd, of the version that it deploys for. */
function workerd(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('wrangler'));
  return (require('workerd') as { default: string }).default;
}

async function answering(url: string, ended: Promise<unknown>) {
  const early = ended.then(() => {
    throw new Error('workerd ended before it answered');
  });
  early.catch(() => {});
  for (let i = 0; i < 100; i++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await Promise.race([sleep(100), early]);
  }
  throw new Error('workerd does not answer');
}

function config(
  folder: string,
  ports: { service: number; bare: number | undefined; kv: number; r2: number },
  vars: Record<string, string>,
): string {
  const texts = Object.entries({
    RATE_LIMIT: '1000000000',
    FREE_RATE_LIMIT: '60',
    FREE_CREDITS: '0',
    LINK_SECONDS: '3600',
    LINK_SECRET: 'links',
    ...vars,
  }).map(([name, value]) => `(name = "${name}", text = "${value}"),`);
  const bare = {
    service: '(name = "bare", worker = .bare),',
    socket: `(name = "bare", address = "127.0.0.1:${ports.bare}", http = (), service = "bare"),`,
    worker: `const bare :Workerd.Worker = (
  modules = [${ports.bare ? modules(join(folder, 'bare')) : ''}],
  compatibilityDate = "2026-11-01",
);`,
  };
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "service", worker = .service),
    ${ports.bare ? bare.service : ''}
    (name = "kv", external = (address = "127.0.0.1:${ports.kv}", http = ())),
    (name = "r2", external = (address = "127.0.0.1:${ports.r2}", http = ())),
    (name = "internet", network = (allow = ["public", "private"])),
    (name = "objects", disk = (path = "${folder}/objects", writable = true)),
  ],
  sockets = [
    (name = "service", address = "127.0.0.1:${ports.service}", http = (), service = "service"),
    ${ports.bare ? bare.socket : ''}
  ],
);
const service :Workerd.Worker = (
  modules = [${modules(join(folder, 'service'))}],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [
    (className = "Account", uniqueKey = "account", enableSql = true),
    (className = "Registry", uniqueKey = "registry", enableSql = true),
    (className = "DocumentConverter", uniqueKey = "converter", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    (name = "KEYS", kvNamespace = "kv"),
    (name = "FILES", r2Bucket = "r2"),
    (name = "ACCOUNTS", durableObjectNamespace = "Account"),
    (name = "REGISTRY", durableObjectNamespace = "Registry"),
    (name = "CONVERTERS", durableObjectNamespace = "DocumentConverter"),
    ${texts.join('\n    ')}
  ],
);
${ports.bare ? bare.worker : ''}`;
}

/** KV's protocol over HTTP, in memory. */
function keyValues(): RequestListener {
  const values = new Map<string, string>();
  return async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://kv');
    if (request.method === 'PUT') values.set(pathname, await text(request));
    if (request.method === 'DELETE') values.delete(pathname);
    const value = values.get(pathname);
    const missing = request.method === 'GET' && value === undefined;
    response.writeHead(missing ? 404 : 200).end(value);
  };
}

/** As much of R2's protocol as makes it take what is put, and forget it. */
const forgetfulR2: RequestListener = (request, response) => {
  const checksums = { 0: '0'.repeat(32) };
  const object = { name: 'a', version: '1', size: 1, etag: '1', uploaded: 0, checksums };
  request.resume().on('end', () => response.end(JSON.stringify(object)));
};

/** Every module of a bundle, the entry first; beside it and programs, all is text for pages. */
function modules(folder: string): string {
  const files = readdirSync(folder).filter((name) => /\.(?:js|wasm|css)$/.test(name));
  const isEntry = (name: string) => existsSync(join(folder, `${name}.map`));
  return files
    .toSorted((a, b) => Number(isEntry(b)) - Number(isEntry(a)))
    .map((name) => {
      const kind = isEntry(name) ? 'esModule' : name.endsWith('.wasm') ? 'wasm' : 'text';
      return `(name = "${name}", ${kind} = embed "${basename(folder)}/${name}")`;
    })
    .join(',\n    ');
}
