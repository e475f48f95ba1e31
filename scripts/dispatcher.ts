import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import pTimeout from 'p-timeout';
import { ServiceError, tookTooLong } from '../src/errors.ts';
import { fairQueue } from '../src/fair-queue.ts';
import { bodyArrivesWithinMs } from '../src/http/body.ts';
import { MiB } from '../src/tools/tool.ts';
import { jobHeaders, refusal } from '../src/workshop/protocol.ts';
import { queueTimeoutMs } from '../src/workshop/workshop.ts';
import { startProcess, type WorkshopProcess } from './workshop-process.ts';

/**
 * The place that the front's calls go to on one's own machine: it reads each body, lets the calls wait
 * for a free process, in rounds by account, and ends a process that computes for too long.
 */
export interface Dispatcher {
  /** Process ids of the workshops. */
  pids(): number[];
  stop(): Promise<void>;
}

/** Bytes of bodies that may be held at one time, and by one account. */
const heldBytesLimit = 512 * MiB;
const heldBytesLimitOfAccount = 128 * MiB;
/** Bytes of the longest body that the front hands on, where it does not say how long one is. */
const longestBody = 15 * MiB;
/** Calls that may wait. */
const waitingLimit = 1000;
/** Calls in one process, of which all but one wait for something outside, such as a text model. */
const callsPerProcess = 8;
/** Milliseconds without a sign of life after which a process is ended, however little it computes. */
const longestSilenceMs = 60_000;
/** Milliseconds between two looks at what computes and what waits. */
const watchIntervalMs = 50;

interface Call {
  tool: string;
  requestId: string;
  account: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  response: ServerResponse;
  timeLimitMs: number;
  computingLimitMs: number;
  /** It was in a process that ended, and may have been the cause. */
  wasLost: boolean;
  /** Refuses it when no process becomes free. */
  waiting?: NodeJS.Timeout;
  /** Ends its request to the process. */
  abort?: () => void;
}

interface Place extends WorkshopProcess {
  calls: Set<Call>;
  /** The call that was given to it last: when it stops answering, that call computes. */
  latest?: Call;
  /** Whether it has calls, or computes for one that its client has left. */
  isBusy: boolean;
  /** When it gave its last sign of life, by the clock and by its own processor time. */
  answeredAt: number;
  answeredAtProcessorMs: number;
  /** Processor time since then. */
  computedMs: number;
  /** How long that call may compute without a pause. */
  computingLimitMs: number;
}

export interface DispatcherOptions {
  /** Processes to run. */
  count: number;
  /** Folder of the workshop's bundle. */
  bundle: string;
  /** Folder for sockets and configurations, that nobody else may read. */
  folder: string;
  /** Path of the Unix socket at which it listens. */
  socket: string;
  vars: Record<string, string>;
}

export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const queue = fairQueue<Call>();
  const places = new Set<Place>();
  const heldBytes = new Map<string, number>();
  let stopping = false;

  const server = createServer((request, response) => {
    accept(request, response).catch((error: unknown) => {
      if (error instanceof ServiceError) refuse(response, error);
      else response.destroy(error as Error);
    });
  });
  // Bodies have time-outs of their own, by their size.
  server.requestTimeout = 0;
  await once(server.listen(options.socket), 'listening');
  await Promise.all(Array.from({ length: options.count }, openPlace));
  let watching = setTimeout(watch, watchIntervalMs);

  return {
    pids: () => [...places].map(({ pid }) => pid),
    async stop() {
      stopping = true;
      clearTimeout(watching);
      server.close();
      server.closeAllConnections();
      await Promise.all([...places].map((place) => place.kill()));
    },
  };

  async function accept(request: IncomingMessage, response: ServerResponse) {
    const call = callOf(request, response);
    let held = 0;
    response.on('close', () => {
      clearTimeout(call.waiting);
      release(call.account, held);
      queue.remove(call);
      call.abort?.();
    });
    call.body = await bodyOf(request, (bytes) => {
      hold(call.account, bytes);
      held += bytes;
    });
    if (response.destroyed) return;
    if (queue.size >= waitingLimit) throw busy('too many calls wait');
    enqueue(call);
  }

  /** Counts bytes as they arrive: whoever only announces a body holds nothing. Throws 503. */
  function hold(account: string, bytes: number) {
    const own = heldBytes.get(account) ?? 0;
    const total = [...heldBytes.values()].reduce((sum, each) => sum + each, 0);
    if (total + bytes > heldBytesLimit || own + bytes > heldBytesLimitOfAccount) {
      throw busy('too many large bodies at once');
    }
    heldBytes.set(account, own + bytes);
  }

  function release(account: string, bytes: number) {
    const rest = (heldBytes.get(account) ?? 0) - bytes;
    if (rest > 0) heldBytes.set(account, rest);
    else heldBytes.delete(account);
  }

  function enqueue(call: Call) {
    queue.push(call.account, call);
    call.waiting = setTimeout(() => {
      queue.remove(call);
      refuse(call.response, busy('no process became free'));
    }, queueTimeoutMs);
    dispatch();
  }

  /** Gives waiting calls to free processes. */
  function dispatch() {
    for (const place of places) {
      if (queue.size === 0) return;
      if (!place.isBusy) begin(queue.shift()!, place);
    }
  }

  function begin(call: Call, place: Place) {
    clearTimeout(call.waiting);
    place.calls.add(call);
    place.latest = call;
    place.isBusy = true;
    noteSign(place);
    place.computingLimitMs = call.computingLimitMs;
    const begunMs = place.processorMs();
    const { finished, abort } = place.run(call);
    call.abort = abort;
    const limit = setTimeout(() => {
      refuse(call.response, tookTooLong(call.tool, call.timeLimitMs / 1000));
      abort();
    }, call.timeLimitMs);
    void finished
      .then(
        () => {
          if (place.calls.size === 1) place.isBusy = false;
        },
        (error: unknown) => lost(call, place, error),
      )
      .finally(() => {
        clearTimeout(limit);
        place.calls.delete(call);
        queue.use(call.account, usedMs(place, begunMs));
        dispatch();
      });
  }

  /** A process ended before it had answered a call. Unless the call was the cause, it gets another one. */
  function lost(call: Call, place: Place, error: unknown) {
    const { response } = call;
    if (response.headersSent) return void response.destroy();
    if (response.destroyed || stopping) return;
    if (place.wasKilled && place.latest === call) {
      return refuse(response, tookTooLong(call.tool, call.computingLimitMs / 1000));
    }
    if (call.wasLost) return refuse(response, processEnded());
    console.error(`request ${call.requestId}: its workshop process ended (${String(error)})`);
    call.wasLost = true;
    enqueue(call);
  }

  /** Looks which processes answer, and ends one that has been silent for too long. */
  async function watch() {
    const busyPlaces = [...places].filter(({ isBusy }) => isBusy);
    await Promise.all(
      busyPlaces.map(async (place) => {
        if (await place.answers(watchIntervalMs)) return shareWith(place);
        place.computedMs = place.processorMs() - place.answeredAtProcessorMs;
        const silentMs = performance.now() - place.answeredAt;
        if (place.computedMs > place.computingLimitMs || silentMs > longestSilenceMs) end(place);
      }),
    );
    watching = setTimeout(watch, watchIntervalMs);
  }

  /** A process that answers while it has calls waits for something outside, and may take another one. */
  function shareWith(place: Place) {
    noteSign(place);
    if (place.calls.size === 0) place.isBusy = false;
    if (place.calls.size < callsPerProcess && queue.size > 0) begin(queue.shift()!, place);
  }

  function end(place: Place) {
    const { latest, computingLimitMs, pid } = place;
    const seconds = computingLimitMs / 1000;
    const named = latest && `request ${latest.requestId} of ${latest.tool}`;
    console.error(
      `workshop process ${pid} computed for over ${seconds} s without a pause, by ${named}; ended`,
    );
    void place.kill();
  }

  async function openPlace(): Promise<void> {
    const process = await startProcess(options);
    const state = {
      calls: new Set<Call>(),
      isBusy: false,
      answeredAt: 0,
      answeredAtProcessorMs: 0,
      computedMs: 0,
      computingLimitMs: 0,
    };
    // The getters of a process stay what they are.
    const place: Place = Object.setPrototypeOf(state, process);
    places.add(place);
    void place.ended.then(async () => {
      places.delete(place);
      if (stopping) return;
      await openPlace().catch((error: unknown) => console.error('no workshop process', error));
      dispatch();
    });
  }
}

/** Processor time since a call began; of a process that has ended, what its last look found. */
const usedMs = (place: Place, begunMs: number) =>
  Math.max(0, place.processorMs() - begunMs, place.computedMs);

function noteSign(place: Place) {
  place.answeredAt = performance.now();
  place.answeredAtProcessorMs = place.processorMs();
  place.computedMs = 0;
}

const busy = (why: string) =>
  new ServiceError('unavailable', `${why}; nothing was charged, try again soon`, { retryAfter: 2 });

const processEnded = () =>
  new ServiceError(
    'unavailable',
    'the process that ran this call ended twice; nothing was charged',
    { retryAfter: 1 },
  );

function refuse(response: ServerResponse, error: ServiceError) {
  if (response.headersSent || response.destroyed) return;
  const headers = { 'Content-Type': 'application/json', [jobHeaders.answered]: 'true' };
  response.writeHead(error.status, headers).end(JSON.stringify(refusal(error)));
}

function callOf(request: IncomingMessage, response: ServerResponse): Call {
  const { headers, url: path = '/' } = request;
  const header = (name: string) => String(headers[name.toLowerCase()] ?? '');
  return {
    tool: path.split('/')[1]!,
    requestId: header(jobHeaders.requestId),
    account: header(jobHeaders.account),
    path,
    headers,
    body: Buffer.alloc(0),
    response,
    timeLimitMs: Number(header(jobHeaders.timeLimitMs)),
    computingLimitMs: Number(header(jobHeaders.computingLimitMs)),
    wasLost: false,
  };
}

/**
 * The whole body. Throws 408 when it takes too long to arrive, and what `note` throws; but only when
 * the rest has been read, because the sender hears no answer before.
 *
 * @param note told of every chunk's size
 */
async function bodyOf(request: IncomingMessage, note: (bytes: number) => void): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? longestBody);
  let chunks: Buffer[] = [];
  let refusal: unknown;
  const reading = (async () => {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      try {
        if (!refusal) note(chunk.length);
        if (!refusal) chunks.push(chunk);
      } catch (error) {
        refusal = error;
        chunks = [];
      }
    }
    if (refusal) throw refusal;
    return Buffer.concat(chunks);
  })();
  const message = new ServiceError('request_timeout', 'the body did not arrive in time');
  return pTimeout(reading, { milliseconds: bodyArrivesWithinMs(length), message });
}
