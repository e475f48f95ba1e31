// The front of the service on one's own machine, in a process of its own: scripts/front-supervision.ts
// starts it, tells it what to run by a message, and may kill it at any moment.
import { chmodSync, createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as miniflareModule from 'miniflare';
import type { Config } from './bundles.ts';
import { writeLauncher } from './front-launcher.ts';
import { frontSocket } from './front-socket.ts';
import { bundledModules, type Module } from './workerd.ts';

export interface FrontOptions {
  port: number;
  /** Folder of the front's bundle. */
  bundle: string;
  config: Config;
  /** Environment variables that lead to its browser. */
  browser: Record<string, string>;
  /** Folder that keeps KV, R2 and Durable Objects from one run to the next, and the log. */
  persistTo: string;
  vars: Record<string, string>;
  /** Folder for a socket and a program, that nobody else may read. */
  folder: string;
  /** Path of the Unix socket of the dispatcher. */
  workshop: string;
}

/** Milliseconds between two removals of expired results; on Cloudflare a cron trigger does it. */
const sweepIntervalMs = 15 * 60_000;

const types = { esModule: 'ESModule', wasm: 'CompiledWasm', text: 'Text' } as const;

// What the front, its workerd and its browsers write is for nobody else on this machine.
process.umask(0o077);

async function serve(options: FrontOptions) {
  const { config, folder, persistTo } = options;
  const { CorePaths, Miniflare, convertV4MiniflareOptions } = wranglersMiniflare();
  const entrySocket = join(folder, 'entry.sock');
  process.env.MINIFLARE_WORKERD_PATH = writeLauncher(folder, entrySocket);
  const front = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      resourcePersistencePath: privateFolder(join(persistTo, 'v3')),
      handleStructuredLogs: logTo(join(persistTo, 'service.log')),
      // At the entry, which only this process reaches.
      unsafeTriggerHandlers: true,
      workers: [
        {
          name: config.name,
          modules: bundledModules(options.bundle).map((one) => moduleOf(one, options.bundle)),
          compatibilityDate: config.compatibility_date,
          compatibilityFlags: config.compatibility_flags,
          bindings: options.vars,
          ...bindingsOf(config),
          serviceBindings: {
            WORKSHOP: { external: { address: `unix:${options.workshop}`, http: {} } },
          },
          // Straight to the Worker: neither Miniflare's own Worker nor its tools for development are between.
          unsafeBindings: [frontSocket(`127.0.0.1:${options.port}`)],
        },
      ],
    }),
  );
  await front.ready;
  const sweep = () => void trigger(entrySocket, CorePaths.SCHEDULED);
  sweep();
  setInterval(sweep, sweepIntervalMs).unref();
}

const moduleOf = ({ name, kind }: Module, bundle: string) => ({
  type: types[kind],
  path: name,
  contents:
    kind === 'wasm' ? readFileSync(join(bundle, name)) : readFileSync(join(bundle, name), 'utf8'),
});

/** Makes a folder that only its owner may enter, also one of an earlier run. */
function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  return path;
}

/** Lines of the log go to a file; errors and warnings are shown as well. */
function logTo(path: string) {
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 });
  return ({ level, message }: { level: string; message: string }) => {
    file.write(`${message}\n`);
    if (level === 'error' || level === 'warn') console.error(message);
  };
}

/** Asks Miniflare for an event of the Worker. */
function trigger(socketPath: string, path: string) {
  get({ socketPath, path }, (response) => response.resume()).on('error', console.error);
}

/** The parts of wrangler.toml that Miniflare simulates. */
function bindingsOf({ kv_namespaces, r2_buckets, browser, durable_objects }: Config) {
  const objects = durable_objects.bindings.map(({ name, class_name: className }) => [
    name,
    { className, useSQLite: true },
  ]);
  return {
    kvNamespaces: Object.fromEntries(kv_namespaces.map(({ binding }) => [binding, binding])),
    r2Buckets: Object.fromEntries(
      r2_buckets.map(({ binding, bucket_name }) => [binding, bucket_name]),
    ),
    browserRendering: browser,
    durableObjects: Object.fromEntries(objects),
  };
}

/** Of wrangler's own version, which it deploys for. */
function wranglersMiniflare() {
  const require = createRequire(createRequire(import.meta.url).resolve('wrangler'));
  return require('miniflare') as typeof miniflareModule;
}

// Nobody reads what is said any more: no reason to stop.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
process.once('message', (options: FrontOptions) => {
  serve(options).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
// Whoever started this process has gone, and with it everything that looks after it.
process.once('disconnect', () => process.exit(1));
