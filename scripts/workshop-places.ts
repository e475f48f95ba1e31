import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from './workshop-call.ts';
import type { WorkshopProcess } from './workshop-process.ts';

/** A workshop process with the calls that run in it. */
export interface Place {
  process: WorkshopProcess;
  calls: Set<Call>;
  /** The latest call of the process. When the process stops answering, this call is computing. */
  latest?: Call;
  /** Whether the process has calls, or still computes for a call whose client has left. */
  isBusy: boolean;
  /** When the process last answered a check, by the clock. */
  answeredAt: number;
  /** The processor time of the process when it last answered a check. */
  answeredAtProcessorMs: number;
  /** Processor time since the last answered check. */
  computedMs: number;
  /** Milliseconds of processor time that the latest call may use without yielding. */
  computingLimitMs: number;
}

interface Places {
  /** The places whose processes run. */
  running: ReadonlySet<Place>;
  stop(): Promise<void>;
}

interface PlacesOptions {
  /** Number of processes. */
  count: number;
  /** Starts a process. Aborting the signal ends the process at any time. */
  start: (stopping: AbortSignal) => Promise<WorkshopProcess>;
  /** Called when a process is ready, and each time that a process with calls answers a check. */
  offer: (place: Place) => void;
}

/** Milliseconds between two checks of the busy processes, and the timeout of a check. */
const checkIntervalMs = 50;
/** Milliseconds without an answer after which a process is ended, even if it uses little processor time. */
const maxSilenceMs = 60_000;
/** Milliseconds before the start of a process is retried. */
const restartDelayMs = 1000;

/**
 * Keeps `count` workshop processes running. A process that ends is replaced, and a process that computes for
 * too long is ended. Throws, and ends all processes, when one of the first does not start.
 */
export async function openPlaces({ count, start, offer }: PlacesOptions): Promise<Places> {
  const running = new Set<Place>();
  const stopping = new AbortController();
  const wait = (ms: number) =>
    sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function keepRunning(first: WorkshopProcess) {
    for (let process: WorkshopProcess | undefined = first; process; process = await startAgain()) {
      const place = placeOf(process);
      running.add(place);
      offer(place);
      await process.ended;
      running.delete(place);
    }
  }

  /** Retries until a process has started or `stopping` is aborted. */
  async function startAgain(): Promise<WorkshopProcess | undefined> {
    while (!stopping.signal.aborted) {
      try {
        return await start(stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return undefined;
        console.error('a workshop process did not start; retrying', error);
        await wait(restartDelayMs);
      }
    }
    return undefined;
  }

  async function watch() {
    while (!stopping.signal.aborted) {
      await Promise.all([...running].filter(({ isBusy }) => isBusy).map(check));
      await wait(checkIntervalMs);
    }
  }

  async function check(place: Place) {
    if (!(await place.process.answers(checkIntervalMs))) return endIfHanging(place);
    noteAnswer(place);
    if (place.calls.size === 0) place.isBusy = false;
    offer(place);
  }

  const keeping = (await startAll(count, start, stopping)).map(keepRunning);
  const watching = watch();
  return {
    running,
    async stop() {
      stopping.abort();
      await Promise.all([...keeping, watching]);
    },
  };
}

/** Starts all processes. When one fails, ends the others and throws. */
async function startAll(
  count: number,
  start: PlacesOptions['start'],
  stopping: AbortController,
): Promise<WorkshopProcess[]> {
  const starting = Array.from({ length: count }, () => start(stopping.signal));
  try {
    return await Promise.all(starting);
  } catch (error) {
    stopping.abort();
    const settled = await Promise.allSettled(starting);
    await Promise.all(settled.map((one) => one.status === 'fulfilled' && one.value.ended));
    throw error;
  }
}

/** Returns a place for a process that has no call yet. */
export const placeOf = (process: WorkshopProcess): Place => ({
  process,
  calls: new Set(),
  isBusy: false,
  answeredAt: 0,
  answeredAtProcessorMs: 0,
  computedMs: 0,
  computingLimitMs: 0,
});

/** Records that a process has answered, which restarts the measurement of its processor time. */
export function noteAnswer(place: Place) {
  place.answeredAt = performance.now();
  place.answeredAtProcessorMs = place.process.processorMs();
  place.computedMs = 0;
}

/** Ends a process that has computed for longer than its latest call may, or has been silent for too long. */
function endIfHanging(place: Place) {
  const { process, latest, computingLimitMs } = place;
  place.computedMs = process.processorMs() - place.answeredAtProcessorMs;
  const silentMs = performance.now() - place.answeredAt;
  if (place.computedMs <= computingLimitMs && silentMs <= maxSilenceMs) return;
  const cause = latest && `request ${latest.requestId} of ${latest.tool}`;
  console.error(
    `workshop process ${process.pid} ended: it did not answer for over ${computingLimitMs / 1000} s of computing, caused by ${cause}`,
  );
  void process.kill();
}
