import { once } from 'node:events';
import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { finished as streamFinished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from './bundles.ts';
import { spawnChild } from './child.ts';
import { modulesOf, textBindings, workerd } from './workerd.ts';

/** A workerd process that runs the workshop's bundle and may be killed at any moment. */
export interface WorkshopProcess {
  pid: number;
  /** Resolves when the process has ended for any reason. */
  ended: Promise<void>;
  /** Whether {@link kill} ended it. */
  readonly wasKilled: boolean;
  /** Sends a call and pipes its answer into `response`. */
  run(call: {
    path: string;
    headers: IncomingHttpHeaders;
    body: Buffer;
    response: ServerResponse;
  }): {
    /** Resolves when the answer is complete. Rejects when there is no answer or the answer is truncated. */
    finished: Promise<void>;
    abort(): void;
  };
  /** Processor time of the process in milliseconds; without `/proc` the time since its start. */
  processorMs(): number;
  /** Whether the process answers within `ms` milliseconds. While a tool computes, it does not. */
  answers(ms: number): Promise<boolean>;
  kill(): Promise<void>;
}

/** A lower priority than the front's, so that computations do not slow light calls down. */
const niceness = 10;
/** Milliseconds after which the start of a process counts as failed. */
const startTimeoutMs = 20_000;

let started = 0;

export interface ProcessOptions {
  /** Folder of the workshop's bundle. */
  bundle: string;
  /** Private folder for the sockets and configurations. */
  folder: string;
  /** Settings, including secrets. */
  vars: Record<string, string>;
  /** Ends the process at any time, also while it starts. */
  stopping: AbortSignal;
}

/** Starts a process. Throws when the process ends or times out before it answers. */
export async function startProcess(options: ProcessOptions): Promise<WorkshopProcess> {
  const name = `${options.folder}/workshop-${(started += 1)}`;
  const socketPath = `${name}.sock`;
  const configPath = `${name}.capnp`;
  await writeFile(configPath, await configOf(options, socketPath), { mode: 0o600 });
  const child = spawnChild(workerd(), ['serve', configPath], {
    stdio: ['ignore', 'inherit', 'inherit'],
    signal: options.stopping,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve)).then(async () => {
    await Promise.all([socketPath, configPath].map((path) => rm(path, { force: true })));
  });
  // Aborting `stopping` emits an error event at any time, which is expected.
  child.on('error', () => {});
  await once(child, 'spawn');
  const pid = child.pid!;
  const begunAt = performance.now();
  setPriority(pid, niceness);
  const agent = new Agent({ keepAlive: true });
  let wasKilled = false;

  const answers = (ms: number) =>
    new Promise<boolean>((resolve) => {
      // A new connection: the process may have closed a kept-alive one, which would look like silence.
      const asked = httpRequest({ socketPath, path: '/', timeout: ms }, (response) => {
        response.resume();
        resolve(true);
      });
      asked.on('timeout', () => asked.destroy());
      asked.on('error', () => resolve(false));
      asked.on('close', () => resolve(false));
      asked.end();
    });

  const kill = async () => {
    wasKilled = true;
    child.kill('SIGKILL');
    await ended;
  };

  const end = Date.now() + startTimeoutMs;
  while (!(await answers(1000))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (hasEnded || Date.now() > end) {
      await kill();
      throw new Error('a workshop process did not start; see its error above');
    }
    await sleep(20);
  }
  // The process has read its configuration, which contains secrets.
  await rm(configPath);

  return {
    pid,
    ended,
    get wasKilled() {
      return wasKilled;
    },
    run({ path, headers, body, response }) {
      const sent = httpRequest({
        socketPath,
        agent,
        path,
        method: 'POST',
        headers: { ...headers, 'content-length': body.length },
      });
      const finished = (async () => {
        const answered = once(sent, 'response');
        sent.end(body);
        const [answer] = await answered;
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
        await streamFinished(answer);
      })();
      return { finished, abort: () => void sent.destroy() };
    },
    processorMs: () => processorMsOf(pid) ?? performance.now() - begunAt,
    answers,
    kill,
  };
}

/**
 * Returns utime + stime, which `/proc` has in hundredths of a second (proc_pid_stat(5)); undefined without
 * `/proc`.
 */
function processorMsOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

async function configOf(
  { bundle, folder, vars }: ProcessOptions,
  socketPath: string,
): Promise<string> {
  const { compatibility_date, compatibility_flags } = await readConfig();
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "workshop", worker = .workshop),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "jobs", address = "unix:${socketPath}", http = (), service = "workshop")],
);
const workshop :Workerd.Worker = (
  modules = [${modulesOf(bundle, folder)}],
  compatibilityDate = ${JSON.stringify(compatibility_date)},
  compatibilityFlags = ${JSON.stringify(compatibility_flags)},
  bindings = [${textBindings(vars)}],
);`;
}
