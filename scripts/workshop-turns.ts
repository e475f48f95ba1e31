import { ServiceError, tookTooLong } from '../src/errors.ts';
import { fairQueue } from '../src/fair-queue.ts';
import { queueTimeoutMs } from '../src/workshop/workshop.ts';
import { busy, refuse, type Call } from './workshop-call.ts';
import { noteSign, type Place } from './workshop-places.ts';

/** Lets calls wait for a place, in turns by account, and runs them there. */
export interface Turns {
  /** Runs a call when its turn comes. Throws 503 when too many wait. */
  take(call: Call): void;
  /** Gives a place the next call, if it has room for one. */
  offer(place: Place): void;
  /** Ends a call that nobody waits for any more. */
  drop(call: Call): void;
}

/** Calls that may wait. */
const waitingLimit = 1000;
/** Calls in one process, of which all but one wait for something outside, such as a text model. */
const callsPerProcess = 8;

/** @param places those that run now */
export function takeTurns(places: () => Iterable<Place>): Turns {
  const queue = fairQueue<Call>();

  function enqueue(call: Call) {
    queue.push(call.account, call);
    call.waiting = setTimeout(() => {
      queue.remove(call);
      refuse(call.response, busy('no process became free'));
    }, queueTimeoutMs);
    dispatch();
  }

  /** Gives waiting calls to free places. */
  function dispatch() {
    for (const place of places()) if (!place.isBusy) offer(place);
  }

  function offer(place: Place) {
    if (place.calls.size >= callsPerProcess) return;
    const call = queue.shift();
    if (call) void run(call, place);
  }

  async function run(call: Call, place: Place): Promise<void> {
    clearTimeout(call.waiting);
    place.calls.add(call);
    place.latest = call;
    place.isBusy = true;
    noteSign(place);
    place.computingLimitMs = call.computingLimitMs;
    const begunMs = place.process.processorMs();
    const { finished, abort } = place.process.run(call);
    call.abort = abort;
    const limit = setTimeout(() => {
      refuse(call.response, tookTooLong(call.tool, call.timeLimitMs / 1000));
      abort();
    }, call.timeLimitMs);
    try {
      await finished;
      if (place.calls.size === 1) place.isBusy = false;
    } catch (error) {
      lost(call, place, error);
    }
    clearTimeout(limit);
    place.calls.delete(call);
    queue.use(call.account, usedMs(place, begunMs));
    dispatch();
  }

  /** A call has no whole answer. Unless it was the cause, it gets another process. */
  function lost(call: Call, place: Place, error: unknown) {
    const { response } = call;
    if (response.headersSent) {
      // A refusal is whole, and may still be on its way; half an answer of the process is not.
      if (!response.writableEnded) response.destroy();
      return;
    }
    if (response.destroyed) return;
    if (place.process.wasKilled && place.latest === call) {
      return refuse(response, tookTooLong(call.tool, call.computingLimitMs / 1000));
    }
    if (call.wasLost) return refuse(response, processEnded());
    console.error(`request ${call.requestId}: its workshop process ended (${String(error)})`);
    call.wasLost = true;
    enqueue(call);
  }

  return {
    take(call) {
      if (queue.size >= waitingLimit) throw busy('too many calls wait');
      enqueue(call);
    },
    offer,
    drop(call) {
      clearTimeout(call.waiting);
      queue.remove(call);
      call.abort?.();
    },
  };
}

/** Processor time since a call began; of a process that has ended, what its last look found. */
const usedMs = (place: Place, begunMs: number) =>
  Math.max(0, place.process.processorMs() - begunMs, place.computedMs);

const processEnded = () =>
  new ServiceError(
    'unavailable',
    'the process that ran this call ended twice; nothing was charged',
    { retryAfter: 1 },
  );
