import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrontOptions } from './front.ts';
import { run } from './program.ts';

/** A front that is replaced when it has ended, or does not answer any more. */
export interface SupervisedFront {
  url: string;
  /** Of the front that runs now. */
  pid(): number;
  /** Settles when no front runs and none could be started. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Milliseconds between two looks at the front, in which it has to answer, and failures in a row. */
const pauseMs = 1000;
const answerMs = 5000;
const failuresInARow = 2;

/** @param starting ends a front that has not started yet, while the service starts */
export async function superviseFront(
  options: FrontOptions,
  starting: AbortSignal,
): Promise<SupervisedFront> {
  const stopping = new AbortController();
  let front = await startFront(options, starting);
  const supervising = async () => {
    for (;;) {
      const why = await endOf(front, stopping.signal);
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

/** Why a front is of no use any more, when that is so, or when nobody is to look any more. */
async function endOf(
  { url, ended }: { url: string; ended: Promise<void> },
  stopping: AbortSignal,
): Promise<string> {
  const looking = new AbortController();
  const why = await Promise.race([
    ended.then(() => 'ended'),
    silence(url, AbortSignal.any([stopping, looking.signal])).then(() => 'does not answer'),
  ]);
  looking.abort();
  return why;
}

/** Settles when a URL has not answered several times in a row, or nobody is to look any more. */
export async function silence(url: string, stopping: AbortSignal): Promise<void> {
  for (let failures = 0; failures < failuresInARow && !stopping.aborted;) {
    await sleep(pauseMs, undefined, { ref: false, signal: stopping }).catch(() => {});
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(answerMs)]);
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
    command: resolve(import.meta.dirname, 'front.ts'),
    // By a message, since arguments and variables of a process can be read by others.
    message: options,
    stopping,
    env: {
      WRANGLER_SEND_METRICS: 'false',
      ...options.browser,
    },
  });
}
