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
  /** Work that has not begun. */
  waiting(): number;
  stop(): Promise<void>;
}

/** Workers that can be killed. @param seconds that one run may take */
export function createPool(options: WorkerPoolOptions, seconds: number): Pool {
  const pool = workerpool.pool(options.script!, { workerTerminateTimeout: 1, ...options });

  async function once<T>(name: string, input: unknown, signal: AbortSignal): Promise<T> {
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

  return {
    async run<T>(name: string, input: unknown, signal: AbortSignal) {
      if (pool.stats().pendingTasks >= (options.maxQueueSize ?? Infinity)) {
        throw new ServiceError('unavailable', 'too many documents at once; try again soon', {
          retryAfter: 5,
        });
      }
      const attempt = () => once<Outcome<T>>(name, input, signal);
      const outcome = await attempt().catch((error: unknown) => {
        signal.throwIfAborted();
        if (error instanceof workerpool.Promise.TimeoutError) throw tooSlow(seconds);
        // The worker died. Once may be an accident that has nothing to do with this document.
        console.error(`a worker died: ${String(error).split('\n', 1)[0]}`);
        return attempt().catch((again: unknown) => {
          if (again instanceof workerpool.Promise.TimeoutError) throw tooSlow(seconds);
          throw invalidInput('content', 'the document breaks the converter');
        });
      });
      if ('refused' in outcome) throw invalidInput('content', outcome.refused);
      return outcome.done;
    },
    waiting: () => pool.stats().pendingTasks,
    stop: async () => void (await pool.terminate(true)),
  };
}

const tooSlow = (seconds: number) =>
  invalidInput('content', `the document takes longer than ${seconds} s to convert`);
