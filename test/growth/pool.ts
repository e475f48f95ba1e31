import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Measured, Measurement } from './child.ts';

/** A measurement is ended after this many times the limit, because other processes may use the cores too. */
const timeoutFactor = 3;

/** A tool, and the paths of its fields that accept text of any length, a list or a map. */
interface Entry {
  name: string;
  open: string[];
}

const endless: Measured = { ms: Infinity, outcome: 'never ends' };
const dead: Measured = { ms: Infinity, outcome: 'takes more memory than there is' };

/** Creates a pool of processes that run tools. A process that times out or dies is replaced. */
export function poolOf(program: string, limitMs: number) {
  const idle: ChildProcess[] = [];
  const running = new Set<ChildProcess>();

  function start(): ChildProcess {
    const child = fork(program, {
      execArgv: ['--max-old-space-size=2048'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  return {
    async catalogue(): Promise<Entry[]> {
      const child = start();
      child.send('catalogue');
      const [entries] = (await once(child, 'message')) as [Entry[]];
      idle.push(child);
      return entries;
    },
    async measure(measurement: Measurement): Promise<Measured> {
      const child = idle.pop() ?? start();
      const measured = await answer(child, measurement, timeoutFactor * limitMs);
      if (Number.isFinite(measured.ms)) idle.push(child);
      else child.kill('SIGKILL');
      return measured;
    },
    end() {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

function answer(child: ChildProcess, measurement: Measurement, mostMs: number): Promise<Measured> {
  return new Promise((resolve) => {
    const message = (measured: unknown) => end(measured as Measured);
    const exit = () => end(dead);
    const timer = setTimeout(() => end(endless), mostMs);
    function end(measured: Measured) {
      clearTimeout(timer);
      child.off('message', message).off('exit', exit);
      resolve(measured);
    }
    child.once('message', message).once('exit', exit);
    child.send(measurement);
  });
}
