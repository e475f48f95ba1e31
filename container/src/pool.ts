import workerpool, { type WorkerPoolOptions } from 'workerpool';
import { ServiceError, invalidInput } from '../../src/errors.ts';
import { fairQueue } from '../../src/shared/fair-queue.ts';
import type { Outcome } from './pandoc/thread.ts';

/** The caller of a conversion. */
export interface Client {
  /** The queue is fair between accounts. */
  account: string;
  /** Aborted when the caller has left, which ends the work and its worker. */
  signal: AbortSignal;
}

export interface Pool {
  /**
   * Runs a function of the worker script. Throws ServiceError: 422 when the worker refuses the input, exceeds
   * the time limit or crashes twice, and 503 when the queue is full.
   *
   * @param limit seconds; the default is the pool's time limit
   */
  run<T>(name: string, input: unknown, client: Client, limit?: number): Promise<T>;
  stop(): Promise<void>;
}

/** Retries because of dead idle workers. Larger than any number of workers. */
const maxDeadWorkers = 64;

interface PoolOptions extends WorkerPoolOptions {
  script: string;
  maxWorkers: number;
  /** Largest number of calls that wait for a worker. */
  maxQueueSize: number;
}

/** Creates a pool of workers that can be killed. @param seconds time limit of one run */
export function createPool(options: PoolOptions, seconds: number): Pool {
  const pool = workerpool.pool(options.script, { workerTerminateTimeout: 1, ...options });
  const waiting = fairQueue<() => void>();
  let running = 0;

  /** Waits for a free worker. Throws 503 when the queue is full, and the signal's reason when it is aborted. */
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

  /** Gives the worker to the next call in the queue. */
  function endTurn() {
    const begin = waiting.shift();
    if (begin) begin();
    else running -= 1;
  }

  /**
   * Retries if the pool chose a dead worker: it notices the death of an idle worker only when it assigns work.
   */
  async function once<T>(name: string, input: unknown, signal: AbortSignal, limit: number) {
    for (let dead = 0; ; dead++) {
      try {
        return await begun<T>(name, input, signal, limit);
      } catch (error) {
        if (dead === maxDeadWorkers || (error as Error).message !== 'Worker is terminated')
          throw error;
      }
    }
  }

  async function begun<T>(name: string, input: unknown, signal: AbortSignal, limit: number) {
    signal.throwIfAborted();
    const running = pool.exec(name, [input]);
    const cancel = () => void running.cancel();
    signal.addEventListener('abort', cancel);
    try {
      return (await running.timeout(limit * 1000)) as T;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  function refuseSlow(error: unknown, limit: number) {
    if (!(error instanceof workerpool.Promise.TimeoutError)) return;
    throw invalidInput('content', `takes longer than ${limit} s to convert`);
  }

  return {
    async run<T>(name: string, input: unknown, client: Client, limit = seconds) {
      await takeTurn(client);
      const begun = performance.now();
      return attempts<T>(name, input, client.signal, limit).finally(() => {
        waiting.use(client.account, performance.now() - begun);
        endTurn();
      });
    },
    stop: async () => void (await pool.terminate(true)),
  };

  async function attempts<T>(
    name: string,
    input: unknown,
    signal: AbortSignal,
    limit: number,
  ): Promise<T> {
    const attempt = () => once<Outcome<T>>(name, input, signal, limit);
    const outcome = await attempt().catch((error: unknown) => {
      signal.throwIfAborted();
      refuseSlow(error, limit);
      // The worker died. The first time may be unrelated to this document, so the work is retried once.
      console.error(`a worker failed: ${String(error).split('\n', 1)[0]}`);
      return attempt().catch((again: unknown) => {
        signal.throwIfAborted();
        refuseSlow(again, limit);
        throw invalidInput('content', 'crashes the converter');
      });
    });
    if ('refused' in outcome) throw invalidInput('content', outcome.refused);
    return outcome.done;
  }
}
