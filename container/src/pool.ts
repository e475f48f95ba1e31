import workerpool, { type WorkerPoolOptions } from 'workerpool';
import { ServiceError, invalidInput } from '../../src/errors.ts';
import type { Outcome } from './pandoc/thread.ts';

export interface Pool {
  /**
   * Runs a function of the worker script. Throws ServiceError: 422 when the worker refuses the input,
   * needs too long for it or breaks on it twice, and 503 when too many wait.
   *
   * @param signal ends the work, and the worker with it, when nobody waits any more
   */
  run<T>(name: string, input: unknown, signal: AbortSignal): Promise<T>;
  stop(): Promise<void>;
}

/** Workers that may be found dead by one run; there are never so many. */
const mostDead = 64;

/** Workers that can be killed. @param seconds that one run may take */
export function createPool(options: WorkerPoolOptions, seconds: number): Pool {
  const pool = workerpool.pool(options.script!, { workerTerminateTimeout: 1, ...options });

  /** The pool learns that an idle worker has died by giving it work, which then never begins. */
  async function once<T>(name: string, input: unknown, signal: AbortSignal): Promise<T> {
    for (let dead = 0; ; dead++) {
      try {
        return await begun<T>(name, input, signal);
      } catch (error) {
        if (dead === mostDead || (error as Error).message !== 'Worker is terminated') throw error;
      }
    }
  }

  async function begun<T>(name: string, input: unknown, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const running = pool.exec(name, [input]);
    const cancel = () => void running.cancel();
    signal.addEventListener('abort', cancel);
    try {
      return (await running.timeout(seconds * 1000)) as T;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  function refuseSlow(error: unknown) {
    if (!(error instanceof workerpool.Promise.TimeoutError)) return;
    throw invalidInput('content', `takes longer than ${seconds} s to convert`);
  }

  return {
    async run<T>(name: string, input: unknown, signal: AbortSignal) {
      if (pool.stats().pendingTasks >= (options.maxQueueSize ?? Infinity)) {
        throw new ServiceError('unavailable', 'too many files at once; try again soon', {
          retryAfter: 5,
        });
      }
      const attempt = () => once<Outcome<T>>(name, input, signal);
      const outcome = await attempt().catch((error: unknown) => {
        signal.throwIfAborted();
        refuseSlow(error);
        // The worker died. Once may be an accident that has nothing to do with this document.
        console.error(`a worker failed: ${String(error).split('\n', 1)[0]}`);
        return attempt().catch((again: unknown) => {
          signal.throwIfAborted();
          refuseSlow(again);
          throw invalidInput('content', 'breaks the converter');
        });
      });
      if ('refused' in outcome) throw invalidInput('content', outcome.refused);
      return outcome.done;
    },
    stop: async () => void (await pool.terminate(true)),
  };
}
