import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '../scripts/operator.ts';
import { freePort } from '../scripts/service.ts';

const root = resolve(import.meta.dirname, '..');
const adminSecret = 'bench';

export interface Bench {
  /** The service, as `wrangler deploy` would upload it. */
  service: string;
  /** A bare Hono route in the same workerd. */
  bare: string;
  key: string;
  pid: number;
  stop(): void;
}

/**
 * Runs the service's bundle and a bare Hono route side by side in one workerd, without the proxy
 * that `wrangler dev` puts in front, and makes a key with a billion credits.
 *
 * @param vars bindings of text beside the usual ones
 */
export async function startBench(vars: Record<string, string> = {}): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  bundle('wrangler.toml', join(folder, 'service'));
  bundle('bench/bare.toml', join(folder, 'bare'));
  mkdirSync(join(folder, 'objects'));
  const files = forgetfulR2();
  await once(files.listen(0, '127.0.0.1'), 'listening');
  const ports = {
    service: await freePort(),
    bare: await freePort(),
    files: (files.address() as AddressInfo).port,
  };
  writeFileSync(join(folder, 'kv.js'), kvWorker);
  writeFileSync(join(folder, 'config.capnp'), config(folder, ports, vars));
  const child = spawn(workerd(), ['serve', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const service = `http://127.0.0.1:${ports.service}`;
  await answering(service, once(child, 'exit'));
  const admin = operator(service, adminSecret);
  const { key } = await admin.createKey('bench', 'bench');
  await admin.grant('bench', 1e9);
  return {
    service,
    bare: `http://127.0.0.1:${ports.bare}`,
    key,
    pid: child.pid!,
    stop() {
      child.kill('SIGKILL');
      files.close();
      files.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resident memory of a process. */
export const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;

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
  ports: { service: number; bare: number; files: number },
  vars: Record<string, string>,
): string {
  const texts = Object.entries({
    RATE_LIMIT: '1000000000',
    FREE_RATE_LIMIT: '60',
    LINK_SECONDS: '3600',
    LINK_SECRET: 'bench',
    ADMIN_SECRET: adminSecret,
    ...vars,
  }).map(([name, value]) => `(name = "${name}", text = "${value}"),`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "service", worker = .service),
    (name = "bare", worker = .bare),
    (name = "kv", worker = .kv),
    (name = "files", external = (address = "127.0.0.1:${ports.files}", http = ())),
    (name = "internet", network = (allow = ["public", "private"])),
    (name = "objects", disk = (path = "${folder}/objects", writable = true)),
  ],
  sockets = [
    (name = "service", address = "127.0.0.1:${ports.service}", http = (), service = "service"),
    (name = "bare", address = "127.0.0.1:${ports.bare}", http = (), service = "bare"),
  ],
);
const service :Workerd.Worker = (
  modules = [${modules(join(folder, 'service'))}],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [
    (className = "Account", uniqueKey = "account", enableSql = true),
    (className = "DocumentConverter", uniqueKey = "converter", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    (name = "KEYS", kvNamespace = "kv"),
    (name = "FILES", r2Bucket = "files"),
    (name = "ACCOUNTS", durableObjectNamespace = "Account"),
    (name = "CONVERTERS", durableObjectNamespace = "DocumentConverter"),
    ${texts.join('\n    ')}
  ],
);
const bare :Workerd.Worker = (
  modules = [${modules(join(folder, 'bare'))}],
  compatibilityDate = "2026-11-01",
);
const kv :Workerd.Worker = (
  modules = [(name = "kv.js", esModule = embed "kv.js")],
  compatibilityDate = "2026-11-01",
);`;
}

/** KV's protocol over HTTP, in memory: an isolate looks a key up once a minute. */
const kvWorker = `
const values = new Map();
export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (request.method === 'PUT') values.set(pathname, await request.text());
    if (request.method === 'DELETE') values.delete(pathname);
    const value = values.get(pathname);
    const missing = request.method === 'GET' && value === undefined;
    return missing ? new Response(null, { status: 404 }) : new Response(value);
  },
};`;

/** As much of R2's protocol as makes it take what is put, and forget it. */
const forgetfulR2 = () =>
  createServer((request, response) => {
    const checksums = { 0: '0'.repeat(32) };
    const object = { name: 'a', version: '1', size: 1, etag: '1', uploaded: 0, checksums };
    request.resume().on('end', () => response.end(JSON.stringify(object)));
  });

/** Every module of a bundle, the entry first. */
function modules(folder: string): string {
  const files = readdirSync(folder).filter((name) => /\.(?:js|wasm)$/.test(name));
  return files
    .toSorted((a, b) => Number(b.endsWith('.js')) - Number(a.endsWith('.js')))
    .map((name) => {
      const kind = name.endsWith('.wasm') ? 'wasm' : 'esModule';
      return `(name = "${name}", ${kind} = embed "${basename(folder)}/${name}")`;
    })
    .join(',\n    ');
}
