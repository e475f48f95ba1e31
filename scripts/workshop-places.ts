import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from './workshop-call.ts';
import type { WorkshopProcess } from './workshop-process.ts';

/** A workshop process with the calls that run in it. */
export interface Place {
  process: WorkshopProcess;
  calls: Set<Call>;
  /** The call that was given to it last: when the process stops answering, that call computes. */
  latest?: Call;
  /** Whether it has calls, or computes for one that its client has left. */
  isBusy: boolean;
  /** When it gave its last sign of life, by the clock and by its own processor time. */
  answeredAt: number;
  answeredAtProcessorMs: number;
  /** Processor time since then. */
  computedMs: number;
  /** How long its latest call may compute without a pause. */
  computingLimitMs: number;
}

export interface Places {
  /** Those whose processes run now. */
  running: ReadonlySet<Place>;
  stop(): Promise<void>;
}

export interface PlacesOptions {
  /** Processes to run. */
  count: number;
  /** Starts one, which ends, at any time, with the signal. */
  start: (stopping: AbortSignal) => Promise<WorkshopProcess>;
  /** Told when a process is ready, and each time that it answers while it has calls. */
  offer: (place: Place) => void;
}

/** Milliseconds between two looks at the processes, in which one that has calls has to answer. */
const watchIntervalMs = 50;
/** Milliseconds without a sign of life after which a process is ended, however little it computes. */
const longestSilenceMs = 60_000;
/** Milliseconds before another try to start a process. */
const restartPauseMs = 1000;

/**
 * Keeps so many workshop processes running: one that ends is replaced, and one that computes for too
 * long is ended. Throws when one of the first does not start; then none is left.
 */
export async function openPlaces({ count, start, offer }: PlacesOptions): Promise<Places> {
  const running = new Set<Place>();
  const stopping = new AbortController();
  const pause = (ms: number) =>
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

  /** Tries until a process has started, or all are to stop. */
  async function startAgain(): Promise<WorkshopProcess | undefined> {
    while (!stopping.signal.aborted) {
      try {
        return await start(stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return undefined;
        console.error('a workshop process did not start; trying again', error);
        await pause(restartPauseMs);
      }
    }
    return undefined;
  }

  async function watch() {
    while (!stopping.signal.aborted) {
      await Promise.all([...running].filter(({ isBusy }) => isBusy).map(look));
      await pause(watchIntervalMs);
    }
  }

  async function look(place: Place) {
    if (!(await place.process.answers(watchIntervalMs))) return endIfHanging(place);
    noteSign(place);
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

/** Starts all processes, or none: when one fails, the others are ended. */
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

const placeOf = (process: WorkshopProcess): Place => ({
  process,
  calls: new Set(),
  isBusy: false,
  answeredAt: 0,
  answeredAtProcessorMs: 0,
  computedMs: 0,
  computingLimitMs: 0,
});

/** Notes that a process answers: what it computes counts from now on. */
export function noteSign(place: Place) {
  place.answeredAt = performance.now();
  place.answeredAtProcessorMs = place.process.processorMs();
  place.computedMs = 0;
}

/** Ends a process that has computed, or been silent, for longer than its latest call may. */
function endIfHanging(place: Place) {
  const { process, latest, computingLimitMs } = place;
  place.computedMs = process.processorMs() - place.answeredAtProcessorMs;
  const silentMs = performance.now() - place.answeredAt;
  if (place.computedMs <= computingLimitMs && silentMs <= longestSilenceMs) return;
  const named = latest && `request ${latest.requestId} of ${latest.tool}`;
  console.error(
    `workshop process ${process.pid} computed for over ${computingLimitMs / 1000} s without a pause, by ${named}; ended`,
  );
  void process.kill();
}
