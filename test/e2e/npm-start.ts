import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { descendantsOf } from './processes.ts';

export interface Started {
  npm: ChildProcess;
  key: string;
  /** What it has printed until now. */
  printed(): { output: string; errors: string };
  /** Process id of scripts/start.ts. */
  starter(): number;
}

/** Runs `npm start` until it prints that Ctrl-C ends it. Throws when it ends before. */
export async function npmStart(env: Record<string, string>): Promise<Started> {
  const npm = spawn('npm', ['start'], {
    env: { ...process.env, CHILD_OUTPUT: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group of its own, like a job of a terminal
  });
  let [output, errors] = ['', ''];
  npm.stderr.on('data', (chunk) => (errors += String(chunk)));
  const ended = once(npm, 'exit').then(() => Promise.reject(new Error(`it ended: ${errors}`)));
  const ready = new Promise<void>((resolve) => {
    npm.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('Ctrl-C')) resolve();
    });
  });
  await Promise.race([ready, ended]);
  ended.catch(() => {});
  return {
    npm,
    key: /sk_svc_\w+/.exec(output)![0],
    printed: () => ({ output, errors }),
    starter: () =>
      descendantsOf(npm.pid!).find(({ args }) => args.at(-1) === 'scripts/start.ts')!.pid,
  };
}
