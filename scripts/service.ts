import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installBrowser } from './browser.ts';

export interface Service {
  url: string;
  /** The program that converts documents. */
  converter: Converter;
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
  /** wrangler's configurations, where other Workers run beside it; the first one gets the requests. */
  configs?: string[];
}

const root = resolve(import.meta.dirname, '..');
const wrangler = resolve(root, 'node_modules/.bin/wrangler');

/** Runs the service on this machine. Throws, in words for the user, when it cannot. */
export async function startService({
  port,
  persistTo,
  vars,
  configs = [],
}: Options): Promise<Service> {
  await refuseTakenPort(port);
  const converter = await startConverter();
  try {
    const worker = await startWorker(
      port,
      persistTo,
      {
        CONVERTER_URL: converter.url,
        CONVERTER_SECRET: converter.secret,
        // More would only compete for the processors of one machine.
        BROWSER_INSTANCES: '1',
        ...vars,
      },
      configs,
    );
    return {
      url: worker.url,
      converter,
      ended: Promise.race([worker.ended, converter.ended]),
      stop: async () => void (await Promise.all([worker.stop(), converter.stop()])),
    };
  } catch (error) {
    await converter.stop();
    throw error;
  }
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

async function startWorker(
  port: number,
  persistTo: string,
  vars: Record<string, string>,
  configs: string[],
) {
  const args = ['dev', '--local', '--ip', '127.0.0.1', '--port', String(port)];
  args.push('--inspector-port', String(await freePort()), '--persist-to', persistTo);
  // --test-scheduled: start.ts fires the cron triggers, so nobody needs to be told how.
  args.push('--log-level', 'warn', '--show-interactive-dev-session', 'false', '--test-scheduled');
  args.push(...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]));
  args.push(...configs.flatMap((config) => ['--config', config]));
  return run('wrangler', `http://127.0.0.1:${port}`, {
    command: wrangler,
    args,
    env: {
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      ...(await installBrowser())?.environment,
    },
  });
}

/** Starts a Node program and waits until its `/health` answers. */
async function run(
  name: string,
  url: string,
  { command, args = [], env }: { command: string; args?: string[]; env: Record<string, string> },
) {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: root,
    // A group of its own, because wrangler leaves workerd behind when only it is ended.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit').then(() => {});
  const stop = () => endGroup(child, ended);
  const early = ended.then(() => {
    throw new Error(`${name} ended before the service was ready; its reason is above`);
  });
  try {
    await Promise.race([answering(`${url}/health`), early]);
  } catch (error) {
    await stop();
    throw error;
  }
  early.catch(() => {});
  return { url, pid: child.pid!, ended, stop };
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
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, name);
    } catch {
      // The group is gone already.
    }
  };
  signal('SIGTERM');
  // Wrangler has browsers to close, each of which may take seconds.
  await Promise.race([ended, sleep(10_000, undefined, { ref: false })]);
  signal('SIGKILL');
}

async function refuseTakenPort(port: number): Promise<void> {
  const error = await faultOf(port);
  if (!error) return;
  const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.message})`;
  throw new Error(`port ${port} ${reason}; choose another one: PORT=${port + 1} npm start`);
}

/** A port that nobody listens on, below those from which systems call out (RFC 6335, 6; Linux: 32768). */
export async function freePort(): Promise<number> {
  const port = randomInt(16_384, 32_768);
  return (await faultOf(port)) ? freePort() : port;
}

/** Why nobody can listen on a port now; undefined when one can. */
async function faultOf(port: number): Promise<NodeJS.ErrnoException | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  const failed = once(probe, 'error').then(([error]) => error as NodeJS.ErrnoException);
  const error = await Promise.race([once(probe, 'listening').then(() => undefined), failed]);
  probe.close();
  return error;
}
