import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Measured, Order } from './child.ts';

/** A call is ended after so many times its limit, since others may use the processor too. */
const patience = 3;

/** A tool, and the paths of its fields that take a text of any length, a list or a map. */
export interface Entry {
  name: string;
  open: string[];
}

const endless: Measured = { ms: Infinity, outcome: 'never ends' };
const dead: Measured = { ms: Infinity, outcome: 'takes more memory than there is' };

/** Processes that run tools. One that does not answer, or that dies, is replaced. */
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
    async measure(order: Order): Promise<Measured> {
      const child = idle.pop() ?? start();
      const measured = await answer(child, order, patience * limitMs);
      if (Number.isFinite(measured.ms)) idle.push(child);
      else child.kill('SIGKILL');
      return measured;
    },
    end() {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

function answer(child: ChildProcess, order: Order, mostMs: number): Promise<Measured> {
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
    child.send(order);
  });
}
