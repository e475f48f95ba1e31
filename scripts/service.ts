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
import { faultOf, freePort } from './free-port.ts';
import { superviseFront } from './front-supervision.ts';
import { run } from './program.ts';

export interface Service {
  url: string;
  /** The program that converts documents. */
  converter: Converter;
  /** Process id of the front, as it runs now. */
  front(): number;
  /** Process ids of those that compute, as they run now. */
  workshops(): number[];
  /** Settles when a part of the service has ended, whoever ended it. */
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
  /** Folder that keeps KV, R2 and Durable Objects from one run to the next. */
  persistTo: string;
  /** Secrets and settings, over those of wrangler.toml. */
  vars: Record<string, string>;
  /** Processes for the tools that compute. */
  workshops?: number;
  /** Ends a service that has not started yet. */
  stopping?: AbortSignal;
  /** False: the browser connects by itself, as Cloudflare's does, and the page's guard is all there is. */
  browserProxy?: boolean;
}

const root = resolve(import.meta.dirname, '..');

/** One processor is left to the front; more than four processes would mostly wait. */
const usualWorkshops = () => Math.min(4, Math.max(1, availableParallelism() - 1));

/** Runs the service on this machine. Throws, in words for the user, when it cannot. */
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

/** The parts of a service, which may still be starting when they are to stop. */
function partsOf(stoppedByCaller?: AbortSignal) {
  const stopping = new AbortController();
  const parts: Promise<Part>[] = [];
  return {
    /** Ends a part that has not started yet. */
    stopping: AbortSignal.any([stopping.signal, ...(stoppedByCaller ? [stoppedByCaller] : [])]),
    add<T extends Part>(part: Promise<T>): Promise<T> {
      parts.push(part);
      // Whoever awaits it hears of it, maybe later.
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

/** @param folder for what nobody else may read */
async function startParts(
  { port, persistTo, vars: ownVars, workshops = usualWorkshops(), browserProxy = true }: Options,
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
      { port, bundle: frontBundle, config, browser, persistTo, vars, folder, workshop },
      stopping,
    ),
  );
  const [dispatcher, front] = await Promise.all([dispatching, supervising]);
  const ended = Promise.race([front.ended, converter.ended]);
  return { url: front.url, converter, front: front.pid, workshops: dispatcher.pids, ended };
}

/** Settings of wrangler.toml, those that follow from running here, and the caller's over both. */
const varsOf = (
  { vars }: Config,
  url: string,
  converter: Converter,
  own: Record<string, string>,
): Record<string, string> => ({
  ...vars,
  CONVERTER_URL: converter.url,
  CONVERTER_SECRET: converter.secret,
  // More would only compete for the processors of one machine.
  BROWSER_INSTANCES: '1',
  // Cloudflare's edge is not before it, so that its headers are made up.
  TRUSTED_PROXY: '',
  SERVICE_URL: url,
  ...own,
});

/** A copy of a bundle, which stays as it is when the sources change: a process may be replaced later. */
async function ownBundle(part: BundledPart, folder: string): Promise<string> {
  const own = join(folder, part);
  await cp(await bundled(part), own, { recursive: true });
  return own;
}

/**
 * Runs the converter of `container/` without a container.
 *
 * @param settings environment variables of its own
 * @param stopping ends one that has not started yet
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
  const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.message})`;
  throw new Error(`port ${port} ${reason}; choose another one: PORT=${port + 1} npm start`);
}
