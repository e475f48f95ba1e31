import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installBrowser } from './browser.ts';
import { bundled, isWorkshopVar, readConfig, type Part } from './bundles.ts';
import { startDispatcher } from './dispatcher.ts';
import { faultOf, freePort } from './free-port.ts';
import type { FrontOptions } from './front.ts';

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
}

const root = resolve(import.meta.dirname, '..');

/** One processor is left to the front; more than four processes would mostly wait. */
const usualWorkshops = () => Math.min(4, Math.max(1, availableParallelism() - 1));

/** Runs the service on this machine. Throws, in words for the user, when it cannot. */
export async function startService(options: Options): Promise<Service> {
  const { port, persistTo, workshops = usualWorkshops() } = options;
  await refuseTakenPort(port);
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  const parts: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(parts.map((part) => part.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  const started = async <T extends { stop(): Promise<void> }>(part: Promise<T>): Promise<T> => {
    parts.push(await part);
    return part;
  };
  try {
    const config = await readConfig();
    const converting = started(startConverter());
    const [frontBundle, workshopBundle] = await Promise.all([
      ownBundle('front', folder),
      ownBundle('workshop', folder),
    ]);
    const converter = await converting;
    const vars = {
      ...config.vars,
      CONVERTER_URL: converter.url,
      CONVERTER_SECRET: converter.secret,
      // More would only compete for the processors of one machine.
      BROWSER_INSTANCES: '1',
      // Cloudflare's edge is not before it, so that its headers are made up.
      TRUSTED_PROXY: '',
      SERVICE_URL: `http://127.0.0.1:${port}`,
      ...options.vars,
    };
    const socket = join(folder, 'dispatcher.sock');
    const workshopVars = Object.entries(vars).filter(([name]) => isWorkshopVar(name));
    const [dispatcher, front] = await Promise.all([
      started(
        startDispatcher({
          count: workshops,
          bundle: workshopBundle,
          folder,
          socket,
          vars: Object.fromEntries(workshopVars),
        }),
      ),
      started(
        superviseFront({ port, bundle: frontBundle, config, persistTo, vars, workshop: socket }),
      ),
    ]);
    const ended = Promise.race([front.ended, converter.ended]);
    return { url: front.url, converter, front: front.pid, workshops: dispatcher.pids, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A copy of a bundle, which stays as it is when the sources change: a process may be replaced later. */
async function ownBundle(part: Part, folder: string): Promise<string> {
  const own = join(folder, part);
  await cp(await bundled(part), own, { recursive: true });
  return own;
}

/** Milliseconds between two looks at the front, in which it has to answer, and failures in a row. */
const frontPauseMs = 1000;
const frontAnswerMs = 5000;
const frontFailures = 2;

/** Keeps a front running: one that has ended, or does not answer any more, is replaced. */
async function superviseFront(options: FrontOptions) {
  const stopping = new AbortController();
  let front = await startFront(options, stopping.signal);
  const supervising = async () => {
    for (;;) {
      const why = await Promise.race([
        front.ended.then(() => 'ended'),
        silence(front.url).then(() => 'does not answer'),
      ]);
      if (stopping.signal.aborted) return;
      console.error(`the front ${why}; starting another one`);
      await front.kill();
      front = await startFront(options, stopping.signal);
    }
  };
  const ended = supervising().catch((error: unknown) => {
    if (!stopping.signal.aborted) console.error(error);
  });
  return {
    url: front.url,
    pid: () => front.pid,
    ended,
    async stop() {
      stopping.abort();
      await front.stop();
      await ended;
    },
  };
}

/** Settles when a URL has not answered several times in a row. */
async function silence(url: string): Promise<void> {
  for (let failures = 0; failures < frontFailures;) {
    await sleep(frontPauseMs, undefined, { ref: false });
    const signal = AbortSignal.timeout(frontAnswerMs);
    const answered = await fetch(url, { signal }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
    failures = answered ? 0 : failures + 1;
  }
}

/** @param stopping ends a front that has not started yet */
async function startFront(options: FrontOptions, stopping: AbortSignal) {
  return run('the front', `http://127.0.0.1:${options.port}`, {
    command: resolve(root, 'scripts/front.ts'),
    // By a message, since arguments and variables of a process can be read by others.
    message: options,
    stopping,
    env: {
      WRANGLER_SEND_METRICS: 'false',
      ...(await installBrowser())?.environment,
    },
  });
}

/** Runs the converter of `container/` without a container. @param settings environment variables of its own */
export async function startConverter(
  settings: Record<string, string> = {},
  port?: number,
): Promise<Converter> {
  const secret = randomBytes(24).toString('base64url');
  const chosen = port ?? (await freePort());
  const program = await run('the converter', `http://127.0.0.1:${chosen}`, {
    command: resolve(root, 'container/src/main.ts'),
    env: { HOST: '127.0.0.1', PORT: String(chosen), CONVERTER_SECRET: secret, ...settings },
  });
  return { ...program, secret: settings.CONVERTER_SECRET ?? secret };
}

interface Program {
  command: string;
  args?: string[];
  env: Record<string, string>;
  /** Told to it when it has started. */
  message?: object;
  /** Ends it while it is not ready yet. */
  stopping?: AbortSignal;
}

/** Starts a Node program and waits until its `/health` answers. */
export async function run(name: string, url: string, program: Program) {
  const { command, args = [], env, message, stopping } = program;
  stopping?.throwIfAborted();
  const child = spawn(process.execPath, [command, ...args], {
    cwd: root,
    // A group of its own, because its own children outlive it.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', message ? 'ipc' : 'ignore'],
    env: { ...process.env, ...env },
  });
  if (message) child.send(message);
  const ended = once(child, 'exit').then(() => {});
  const stop = () => endGroup(child, ended);
  const kill = async () => {
    signalGroup(child, 'SIGKILL');
    await ended;
  };
  const early = ended.then(() => {
    throw new Error(`${name} ended before the service was ready; its reason is above`);
  });
  try {
    const stopped = stopping && once(stopping, 'abort');
    await Promise.race([answering(`${url}/health`), early, ...(stopped ? [stopped] : [])]);
    stopping?.throwIfAborted();
  } catch (error) {
    await stop();
    throw error;
  }
  early.catch(() => {});
  return { url, pid: child.pid!, ended, stop, kill };
}

async function answering(url: string, patience = 90_000): Promise<void> {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`the service did not answer within ${patience / 1000} s`);
}

/** Asks a process group to end, then makes it. */
async function endGroup(child: ChildProcess, ended: Promise<void>): Promise<void> {
  signalGroup(child, 'SIGTERM');
  // There may be browsers to close, each of which may take seconds.
  await Promise.race([ended, sleep(10_000, undefined, { ref: false })]);
  signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals) {
  try {
    process.kill(-child.pid!, name);
  } catch {
    // The group is gone already.
  }
}

async function refuseTakenPort(port: number): Promise<void> {
  const error = await faultOf(port);
  if (!error) return;
  const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.message})`;
  throw new Error(`port ${port} ${reason}; choose another one: PORT=${port + 1} npm start`);
}
