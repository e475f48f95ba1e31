// The process of the front when the service runs locally. scripts/front-supervision.ts starts it, sends its
// options as a message, and may kill it at any moment.
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
  /** Environment variables by which Miniflare finds the browser. */
  browser: Record<string, string>;
  /** Folder with the persistent state of KV, R2 and Durable Objects, and the log. */
  persistTo: string;
  vars: Record<string, string>;
  /** Private folder for the launcher script and its socket. */
  folder: string;
  /** Path of the dispatcher's Unix socket. */
  workshop: string;
  /** Path of the DNS forwarder's Unix socket; undefined if DOH_URL is set. */
  resolver: string | undefined;
}

/** Milliseconds between two removals of expired results, for which Cloudflare has the cron trigger. */
const sweepIntervalMs = 15 * 60_000;

const types = { esModule: 'ESModule', wasm: 'CompiledWasm', text: 'Text' } as const;

// Other users of this machine may not read the files of the front, its workerd and its browsers.
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
      // The trigger's path is on the entry socket, which only this user can reach.
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
            WORKSHOP: onSocket(options.workshop),
            ...(options.resolver && { RESOLVER: onSocket(options.resolver) }),
          },
          // This socket leads directly to the Worker, without Miniflare's entry Worker and its development
          // tools.
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

/** Returns a service binding to an HTTP server on a Unix socket. */
const onSocket = (path: string) => ({ external: { address: `unix:${path}`, http: {} } });

const moduleOf = ({ name, kind }: Module, bundle: string) => ({
  type: types[kind],
  path: name,
  contents:
    kind === 'wasm' ? readFileSync(join(bundle, name)) : readFileSync(join(bundle, name), 'utf8'),
});

/** Creates a folder that only its owner can enter. Also changes the mode of an existing folder. */
function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  return path;
}

/** Returns a handler that writes log lines to a file, and errors and warnings also to the terminal. */
function logTo(path: string) {
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 });
  return ({ level, message }: { level: string; message: string }) => {
    file.write(`${message}\n`);
    if (level === 'error' || level === 'warn') console.error(message);
  };
}

/** Makes Miniflare dispatch an event to the Worker. */
function trigger(socketPath: string, path: string) {
  get({ socketPath, path }, (response) => response.resume()).on('error', console.error);
}

/** Returns the bindings of wrangler.toml that Miniflare simulates. */
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

/** Loads wrangler's own Miniflare, so that the versions match. */
function wranglersMiniflare() {
  const require = createRequire(createRequire(import.meta.url).resolve('wrangler'));
  return require('miniflare') as typeof miniflareModule;
}

// A closed terminal must not stop the front.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
process.once('message', (options: FrontOptions) => {
  serve(options).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
// The supervising process has ended, so this process would never be stopped.
process.once('disconnect', () => process.exit(1));
