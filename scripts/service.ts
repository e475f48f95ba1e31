import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installBrowser } from './browser/install.ts';
import {
  bundled,
  isWorkshopVar,
  readConfig,
  type Config,
  type Part as BundledPart,
} from './bundles.ts';
import { startDispatcher } from './dispatcher.ts';
import { startDnsForwarder } from './dns-forwarder.ts';
import { faultOf, freePort } from './free-port.ts';
import { superviseFront } from './front-supervision.ts';
import { run } from './program.ts';

export interface Service {
  url: string;
  /** The document converter. */
  converter: Converter;
  /** Process id of the current front. */
  front(): number;
  /** Process ids of the current workshop processes. */
  workshops(): number[];
  /** Resolves when the front or the converter has ended for any reason and is not restarted. */
  ended: Promise<void>;
  /** Ends every process of the service. */
  stop(): Promise<void>;
}

export interface Converter {
  url: string;
  secret: string;
  pid: number;
  ended: Promise<void>;
  stop(): Promise<void>;
}

export interface Options {
  port: number;
  /** Folder with the persistent state of KV, R2 and Durable Objects. */
  persistTo: string;
  /** Secrets and settings, which override those of wrangler.toml. */
  vars: Record<string, string>;
  /** Number of workshop processes. */
  workshops?: number;
  /** DNS servers to ask if DOH_URL is not set; by default those of this machine. */
  dnsServers?: string[];
  /** Aborts the start of the service. */
  stopping?: AbortSignal;
  /**
   * If false, the browser connects directly, as Cloudflare's browsers do, and only the page's guard protects.
   */
  browserProxy?: boolean;
}

const root = resolve(import.meta.dirname, '..');

/** One core is left for the front. More than four processes would mostly be idle. */
const defaultWorkshops = () => Math.min(4, Math.max(1, availableParallelism() - 1));

/** Starts the service on this machine. Throws an error whose message is meant for the user. */
export async function startService(options: Options): Promise<Service> {
  await refuseTakenPort(options.port);
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  const parts = partsOf(options.stopping);
  const stop = async () => {
    await parts.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await startParts(options, folder, parts)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Part = { stop(): Promise<void> };

/** Collects the parts of a service, so that they can be stopped even while some are still starting. */
function partsOf(stoppedByCaller?: AbortSignal) {
  const stopping = new AbortController();
  const parts: Promise<Part>[] = [];
  return {
    /** Aborts the start of a part. */
    stopping: AbortSignal.any([stopping.signal, ...(stoppedByCaller ? [stoppedByCaller] : [])]),
    add<T extends Part>(part: Promise<T>): Promise<T> {
      parts.push(part);
      // The caller handles the rejection when it awaits the part, which may be later.
      part.catch(() => {});
      return part;
    },
    async stop() {
      stopping.abort();
      await Promise.all(
        parts.map((starting) =>
          starting.then(
            (part) => part.stop(),
            () => {}, // A part that did not start has nothing to stop.
          ),
        ),
      );
    },
  };
}

/** Starts all parts of the service. @param folder a private folder for sockets, bundles and the browser */
async function startParts(
  {
    port,
    persistTo,
    vars: ownVars,
    workshops = defaultWorkshops(),
    dnsServers,
    browserProxy = true,
  }: Options,
  folder: string,
  { add, stopping }: ReturnType<typeof partsOf>,
): Promise<Omit<Service, 'stop'>> {
  const converting = add(startConverter({}, undefined, stopping));
  const [config, frontBundle, workshopBundle] = await Promise.all([
    readConfig(),
    ownBundle('front', folder),
    ownBundle('workshop', folder),
  ]);
  const converter = await converting;
  const url = `http://127.0.0.1:${port}`;
  const vars = varsOf(config, url, converter, ownVars);
  const allowedHosts = vars.ALLOW_PRIVATE_HOSTS ?? '';
  const proxied = { folder: join(folder, 'browser'), allowedHosts };
  const installed = await installBrowser(browserProxy ? proxied : {});
  const browser = installed?.environment ?? {};
  const workshop = join(folder, 'dispatcher.sock');
  const resolver = vars.DOH_URL ? undefined : join(folder, 'resolver.sock');
  if (resolver) await add(startDnsForwarder({ socket: resolver, servers: dnsServers }));
  const dispatching = add(
    startDispatcher({
      count: workshops,
      bundle: workshopBundle,
      folder,
      socket: workshop,
      vars: Object.fromEntries(Object.entries(vars).filter(([name]) => isWorkshopVar(name))),
    }),
  );
  const supervising = add(
    superviseFront(
      { port, bundle: frontBundle, config, browser, persistTo, vars, folder, workshop, resolver },
      stopping,
    ),
  );
  const [dispatcher, front] = await Promise.all([dispatching, supervising]);
  const ended = Promise.race([front.ended, converter.ended]);
  return { url: front.url, converter, front: front.pid, workshops: dispatcher.pids, ended };
}

/** Merges the settings of wrangler.toml, those for running locally, and the caller's. Later ones win. */
const varsOf = (
  { vars }: Config,
  url: string,
  converter: Converter,
  own: Record<string, string>,
): Record<string, string> => ({
  ...vars,
  CONVERTER_URL: converter.url,
  CONVERTER_SECRET: converter.secret,
  // More browsers would only compete for the cores of this machine.
  BROWSER_INSTANCES: '1',
  // Without Cloudflare's edge in front, clients could forge its headers.
  TRUSTED_PROXY: '',
  SERVICE_URL: url,
  ...own,
});

/** Copies a bundle, so that a process restarted later runs the same code even if the sources change. */
async function ownBundle(part: BundledPart, folder: string): Promise<string> {
  const own = join(folder, part);
  await cp(await bundled(part), own, { recursive: true });
  return own;
}

/**
 * Starts the converter of `container/` as a process, without a container.
 *
 * @param settings additional environment variables
 * @param stopping aborts the start
 */
export async function startConverter(
  settings: Record<string, string> = {},
  port?: number,
  stopping?: AbortSignal,
): Promise<Converter> {
  const secret = randomBytes(24).toString('base64url');
  const chosen = port ?? (await freePort());
  const program = await run('the converter', `http://127.0.0.1:${chosen}`, {
    command: resolve(root, 'container/src/main.ts'),
    env: { HOST: '127.0.0.1', PORT: String(chosen), CONVERTER_SECRET: secret, ...settings },
    stopping,
  });
  return { ...program, secret: settings.CONVERTER_SECRET ?? secret };
}

async function refuseTakenPort(port: number): Promise<void> {
  const error = await faultOf(port);
  if (!error) return;
  const reason = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${error.message})`;
  throw new Error(`port ${port} ${reason}; choose another one: PORT=${port + 1} npm start`);
}
