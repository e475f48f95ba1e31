import workerpool, { type WorkerPoolOptions } from 'workerpool';
import { ServiceError, invalidInput } from '../../src/errors.ts';
import { fairQueue } from '../../src/fair-queue.ts';
import type { Outcome } from './pandoc/thread.ts';

/** Who waits for a result. */
export interface Client {
  /** Waiting calls take turns by account. */
  account: string;
  /** Ends the work, and the worker with it, when nobody waits any more. */
  signal: AbortSignal;
}

export interface Pool {
  /**
   * Runs a function of the worker script. Throws ServiceError: 422 when the worker refuses the input,
   * needs too long for it or breaks on it twice, and 503 when too many wait.
   */
  run<T>(name: string, input: unknown, client: Client): Promise<T>;
  stop(): Promise<void>;
}

/** Workers that may be found dead by one run; there are never so many. */
const mostDead = 64;

export interface PoolOptions extends WorkerPoolOptions {
  script: string;
  maxWorkers: number;
  /** Calls that may wait for a worker. */
  maxQueueSize: number;
}

/** Workers that can be killed. @param seconds that one run may take */
export function createPool(options: PoolOptions, seconds: number): Pool {
  const pool = workerpool.pool(options.script, { workerTerminateTimeout: 1, ...options });
  const waiting = fairQueue<() => void>();
  let running = 0;

  /** Waits for a worker. Throws 503 when too many do, and the signal's reason when it ends the wait. */
  async function takeTurn({ account, signal }: Client): Promise<void> {
    if (running < options.maxWorkers) {
      running += 1;
      return;
    }
    if (waiting.size >= options.maxQueueSize) {
      throw new ServiceError('unavailable', 'too many files at once; try again soon', {
        retryAfter: 5,
      });
    }
    await new Promise<void>((begin, leave) => {
      waiting.push(account, begin);
      signal.addEventListener('abort', () => {
        waiting.remove(begin);
        leave(signal.reason as Error);
      });
    });
  }

  /** Hands the worker to the next in turn. */
  function endTurn() {
    const begin = waiting.shift();
    if (begin) begin();
    else running -= 1;
  }

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
    async run<T>(name: string, input: unknown, client: Client) {
      await takeTurn(client);
      const begun = performance.now();
      return attempts<T>(name, input, client.signal).finally(() => {
        waiting.use(client.account, performance.now() - begun);
        endTurn();
      });
    },
    stop: async () => void (await pool.terminate(true)),
  };

  async function attempts<T>(name: string, input: unknown, signal: AbortSignal): Promise<T> {
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
  }
}
