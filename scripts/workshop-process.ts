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

/** A workerd that runs the workshop's bundle, and that may be killed at any moment. */
export interface WorkshopProcess {
  pid: number;
  /** Settles when the process has ended, whoever ended it. */
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
    /** Settles when the answer is complete; rejects when there is none, or it broke off. */
    finished: Promise<void>;
    abort(): void;
  };
  /** Processor time that it has taken; where the system does not say, the time since it began. */
  processorMs(): number;
  /** Whether it gives a sign of life within so many milliseconds: while it computes, it does not. */
  answers(ms: number): Promise<boolean>;
  kill(): Promise<void>;
}

/** Lower than that of the front, so that computing does not hold light calls up. */
const niceness = 10;
const startTimeoutMs = 20_000;

let started = 0;

export interface ProcessOptions {
  /** Folder of the workshop's bundle. */
  bundle: string;
  /** Folder for the sockets and configurations, that nobody else may read. */
  folder: string;
  /** Settings, secrets among them. */
  vars: Record<string, string>;
  /** Ends the process, also one that has not started yet. */
  stopping: AbortSignal;
}

/** Throws when the process ends, or does not answer, before it has started. */
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
  // The end by `stopping` is reported as an error, at any time.
  child.on('error', () => {});
  await once(child, 'spawn');
  const pid = child.pid!;
  const begunAt = performance.now();
  setPriority(pid, niceness);
  const agent = new Agent({ keepAlive: true });
  let wasKilled = false;

  const answers = (ms: number) =>
    new Promise<boolean>((resolve) => {
      // A connection of its own: one kept alive may have been closed by the other side.
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
      throw new Error('a workshop process did not start; its reason is above');
    }
    await sleep(20);
  }
  // It has been read, and there are secrets in it.
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

/** By utime and stime, in hundredths of a second (proc_pid_stat(5)); undefined without `/proc`. */
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
