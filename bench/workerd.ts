import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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
 */
export async function startBench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  bundle('wrangler.toml', join(folder, 'service'));
  bundle('bench/bare.toml', join(folder, 'bare'));
  mkdirSync(join(folder, 'objects'));
  const ports = { service: await freePort(), bare: await freePort() };
  writeFileSync(join(folder, 'kv.js'), kvWorker);
  writeFileSync(join(folder, 'config.capnp'), config(folder, ports));
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
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function bundle(config: string, folder: string) {
  const args = ['deploy', '--config', config, '--dry-run', '--outdir', folder];
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

function config(folder: string, ports: { service: number; bare: number }): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "service", worker = .service),
    (name = "bare", worker = .bare),
    (name = "kv", worker = .kv),
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
  durableObjectNamespaces = [(className = "Account", uniqueKey = "account", enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    (name = "KEYS", kvNamespace = "kv"),
    (name = "FILES", r2Bucket = "kv"),
    (name = "ACCOUNTS", durableObjectNamespace = "Account"),
    (name = "RATE_LIMIT", text = "1000000000"),
    (name = "FREE_RATE_LIMIT", text = "60"),
    (name = "LINK_SECONDS", text = "3600"),
    (name = "ADMIN_SECRET", text = "${adminSecret}"),
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
