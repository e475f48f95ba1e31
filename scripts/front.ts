// The front of the service on one's own machine, in a process of its own: scripts/service.ts starts it,
// tells it what to run by a message, and may kill it at any moment.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as miniflareModule from 'miniflare';
import type { Config } from './bundles.ts';
import { bundledModules, type Module } from './workerd.ts';

export interface FrontOptions {
  port: number;
  /** Folder of the front's bundle. */
  bundle: string;
  config: Config;
  /** Environment variables that lead to its browser. */
  browser: Record<string, string>;
  /** Folder that keeps KV, R2 and Durable Objects from one run to the next. */
  persistTo: string;
  vars: Record<string, string>;
  /** Path of the Unix socket of the dispatcher. */
  workshop: string;
}

/** Milliseconds between two removals of expired results; on Cloudflare a cron trigger does it. */
const sweepIntervalMs = 15 * 60_000;

const types = { esModule: 'ESModule', wasm: 'CompiledWasm', text: 'Text' } as const;

async function serve(options: FrontOptions) {
  const { config } = options;
  const { Miniflare, convertV4MiniflareOptions } = wranglersMiniflare();
  const module = ({ name, kind }: Module) => ({
    type: types[kind],
    path: name,
    contents:
      kind === 'wasm'
        ? readFileSync(join(options.bundle, name))
        : readFileSync(join(options.bundle, name), 'utf8'),
  });
  const front = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      resourcePersistencePath: join(options.persistTo, 'v3'),
      workers: [
        {
          name: config.name,
          modules: bundledModules(options.bundle).map(module),
          compatibilityDate: config.compatibility_date,
          compatibilityFlags: config.compatibility_flags,
          bindings: options.vars,
          ...bindingsOf(config),
          serviceBindings: {
            WORKSHOP: { external: { address: `unix:${options.workshop}`, http: {} } },
          },
          // Straight to the Worker: neither Miniflare's own Worker nor its tools for development are between.
          unsafeDirectSockets: [{ host: '127.0.0.1', port: options.port }],
        },
      ],
    }),
  );
  await front.ready;
  const worker = await front.getWorker(config.name);
  setInterval(() => void worker.scheduled({}).catch(console.error), sweepIntervalMs).unref();
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

// Nobody reads the log any more: no reason to stop.
process.stdout.on('error', () => {});
process.once('message', (options: FrontOptions) => {
  serve(options).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
// Whoever started this process has gone, and with it everything that looks after it.
process.once('disconnect', () => process.exit(1));
