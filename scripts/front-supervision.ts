import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrontOptions } from './front.ts';
import { run } from './program.ts';

/** A front that is restarted when it ends or no longer answers. */
interface SupervisedFront {
  url: string;
  /** Process id of the current front. */
  pid(): number;
  /** Resolves when the front has ended and could not be restarted. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Milliseconds between two health checks of the front. */
const checkIntervalMs = 1000;
/** Milliseconds after which a health check counts as failed. */
const checkTimeoutMs = 5000;
/** Consecutive failed health checks after which the front is restarted. */
const maxFailures = 2;

/** Starts a front and restarts it when needed. @param starting aborts the first start */
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

/** Resolves with the reason why the front must be restarted; also when `stopping` is aborted. */
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

/** Resolves when a URL has failed {@link maxFailures} consecutive checks, or `stopping` is aborted. */
export async function silence(url: string, stopping: AbortSignal): Promise<void> {
  for (let failures = 0; failures < maxFailures && !stopping.aborted;) {
    await sleep(checkIntervalMs, undefined, { ref: false, signal: stopping }).catch(() => {});
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(checkTimeoutMs)]);
    const answered = await fetch(url, { signal }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
    failures = answered ? 0 : failures + 1;
  }
}

/** Starts the process of a front. @param stopping aborts the start */
async function startFront(options: FrontOptions, stopping: AbortSignal) {
  return run('the front', `http://127.0.0.1:${options.port}`, {
    command: resolve(import.meta.dirname, 'front.ts'),
    // Sent as a message: other users can read the arguments and the environment of a process.
    message: options,
    stopping,
    env: {
      WRANGLER_SEND_METRICS: 'false',
      ...options.browser,
    },
  });
}
