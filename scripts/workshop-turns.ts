import { ServiceError, tookTooLong } from '../src/errors.ts';
import { fairQueue } from '../src/shared/fair-queue.ts';
import { queueTimeoutMs } from '../src/workshop/workshop.ts';
import { busy, refuse, type Call } from './workshop-call.ts';
import { noteAnswer, type Place } from './workshop-places.ts';

/** Queues calls fairly between accounts, and runs them in the workshop processes. */
interface Turns {
  /** Queues a call. Throws 503 when the queue is full. */
  take(call: Call): void;
  /** Gives a place the next call, if the place has capacity. */
  offer(place: Place): void;
  /** Removes or aborts a call whose client has left. */
  drop(call: Call): void;
}

/** Largest number of waiting calls. */
const maxWaitingCalls = 1000;
/** Largest number of calls in one process. All but one of them wait for a service such as a text model. */
const maxCallsPerProcess = 8;

/** Creates the queue. @param places the places whose processes run */
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

  /** Gives waiting calls to idle places. */
  function dispatch() {
    for (const place of places()) if (!place.isBusy) offer(place);
  }

  function offer(place: Place) {
    if (place.calls.size >= maxCallsPerProcess) return;
    const call = queue.shift();
    if (call) void run(call, place);
  }

  async function run(call: Call, place: Place): Promise<void> {
    clearTimeout(call.waiting);
    place.calls.add(call);
    place.latest = call;
    place.isBusy = true;
    noteAnswer(place);
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

  /**
   * Handles a call without a complete answer: retries it once in another process, unless the call was the
   * cause.
   */
  function lost(call: Call, place: Place, error: unknown) {
    const { response } = call;
    if (response.headersSent) {
      // A refusal has ended its response and may still be sent. A truncated answer must be aborted.
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
      if (queue.size >= maxWaitingCalls) throw busy('too many calls wait');
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

/** Returns the processor time since a call began; for an ended process the value of its last check. */
const usedMs = (place: Place, begunMs: number) =>
  Math.max(0, place.process.processorMs() - begunMs, place.computedMs);

const processEnded = () =>
  new ServiceError(
    'unavailable',
    'the process that ran this call ended twice; nothing was charged',
    { retryAfter: 1 },
  );
