import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundle, bundled, readConfig, type Config } from './bundles.ts';
import { spawnChild } from './child.ts';
import { freePort } from './free-port.ts';

/** A fake service to which the Worker is bound. Tests replace `respond` to make it fail. */
export interface Outside {
  respond: RequestListener;
}

export interface Deployed {
  url: string;
  adminSecret: string;
  /** URL of a Hono app without middleware in the same workerd, if `bare` was set. */
  bare: string;
  kv: Outside;
  r2: Outside;
  /** Process id of the current workerd. */
  pid(): number;
  /** Kills workerd and starts it again with its stored state. */
  crash(): Promise<void>;
  stop(): void;
}

/**
 * Runs the bundles of `npm run deploy`, front and workshop, in workerd without Miniflare. Durable Objects are
 * on disk; this process serves KV and R2 over HTTP.
 *
 * @param vars additional text bindings
 */
export async function startDeployed({
  vars = {},
  bare = false,
}: { vars?: Record<string, string>; bare?: boolean } = {}): Promise<Deployed> {
  const folder = mkdtempSync(join(tmpdir(), 'workerd-'));
  const bundles = { front: await bundled('front'), workshop: await bundled('workshop') };
  if (bare) await bundle('bench/bare.toml', join(folder, 'bare'));
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
    config(await readConfig(), folder, bundles, ports, { ADMIN_SECRET: adminSecret, ...vars }),
    { mode: 0o600 },
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
  const child = spawnChild(workerd(), ['serve', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await answering(url, once(child, 'exit'));
  return child;
}

/** Starts an HTTP server whose behaviour can be replaced by setting `outside.respond`. */
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

/** Returns the path of wrangler's own workerd, so that the versions match. */
export function workerd(): string {
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
  { compatibility_date, compatibility_flags, vars: usual }: Config,
  folder: string,
  bundles: { front: string; workshop: string },
  ports: { service: number; bare: number | undefined; kv: number; r2: number },
  vars: Record<string, string>,
): string {
  const compatibility = `compatibilityDate = ${JSON.stringify(compatibility_date)},
  compatibilityFlags = ${JSON.stringify(compatibility_flags)},`;
  const texts = textBindings({
    ...usual,
    RATE_LIMIT: '1000000000',
    HEAVY_CALLS: '1000',
    FREE_CREDITS: '0',
    LINK_SECRET: 'links',
    TEXT_MODEL_NAME: '',
    ...vars,
  });
  const bare = {
    service: '(name = "bare", worker = .bare),',
    socket: `(name = "bare", address = "127.0.0.1:${ports.bare}", http = (), service = "bare"),`,
    worker: `const bare :Workerd.Worker = (
  modules = [${ports.bare ? modulesOf(join(folder, 'bare'), folder) : ''}],
  ${compatibility}
);`,
  };
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "service", worker = .service),
    (name = "workshop", worker = .workshop),
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
  modules = [${modulesOf(bundles.front, folder)}],
  ${compatibility}
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
    (name = "WORKSHOP", service = "workshop"),
    ${texts}
  ],
);
const workshop :Workerd.Worker = (
  modules = [${modulesOf(bundles.workshop, folder)}],
  ${compatibility}
  bindings = [${texts}],
);
${ports.bare ? bare.worker : ''}`;
}

/** Serves KV's HTTP protocol from memory. */
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

/** Serves as much of R2's protocol as `put` needs, and stores nothing. */
const forgetfulR2: RequestListener = (request, response) => {
  const checksums = { 0: '0'.repeat(32) };
  const object = { name: 'a', version: '1', size: 1, etag: '1', uploaded: 0, checksums };
  request.resume().on('end', () => response.end(JSON.stringify(object)));
};

/** Returns text bindings in the syntax of workerd's configuration. */
export const textBindings = (vars: Record<string, string>) =>
  Object.entries(vars)
    .map(([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)}),`)
    .join('\n    ');

export interface Module {
  /** Import specifier in the entry module, and file name in the bundle's folder. */
  name: string;
  kind: 'esModule' | 'wasm' | 'text';
}

/** Lists the modules of a bundle, the entry first. Modules other than the entry and WebAssembly are text. */
export function bundledModules(folder: string): Module[] {
  const files = readdirSync(folder).filter((name) => /\.(?:js|wasm|css)$/.test(name));
  const isEntry = (name: string) => existsSync(join(folder, `${name}.map`));
  return files
    .toSorted((a, b) => Number(isEntry(b)) - Number(isEntry(a)))
    .map((name) => {
      const program = name.endsWith('.wasm') ? 'wasm' : 'text';
      return { name, kind: isEntry(name) ? 'esModule' : program };
    });
}

/** Returns the modules in the syntax of a workerd configuration that is in the folder `from`. */
export const modulesOf = (folder: string, from: string) =>
  bundledModules(folder)
    .map(
      ({ name, kind }) => `(name = "${name}", ${kind} = embed "${relative(from, folder)}/${name}")`,
    )
    .join(',\n    ');
