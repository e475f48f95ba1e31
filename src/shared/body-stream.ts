import pTimeout from 'p-timeout';
import { clientLeft, ServiceError } from '../errors.ts';
import { MiB } from '../tools/tool.ts';

/** A limit on the bytes of bodies that are in memory at one time. */
export interface BodyRoom {
  /** Waits until this many bytes fit. Throws ServiceError `unavailable` when they do not in time. */
  take(bytes: number): Promise<void>;
}

/**
 * Milliseconds that a body of any size may take to arrive; a larger body may take longer by the slowest
 * speed.
 */
const bodyReadTimeoutMs = 20_000;
const slowestBytesPerMs = 50;
/** Bodies up to this size have no time limit, and their memory is not counted. */
const untimedBytes = MiB / 16;

/** Returns the milliseconds in which a body of a size must arrive. 10 MB have 230 seconds. */
export const bodyArrivesWithinMs = (bytes: number) => bodyReadTimeoutMs + bytes / slowestBytesPerMs;

/**
 * Reads a whole body. Throws 413 if it has more than `limit` bytes, 408 if it arrives too slowly, and 503 if
 * there is no room for it. Without `room` its memory is not counted.
 */
export async function readBytes(
  request: Request,
  limit: number,
  room?: BodyRoom,
): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length');
  if (Number(declared) > limit) throw overLimit(limit);
  // A small body takes no more memory than an idle connection, and a timer would cost time.
  if (declared !== null && Number(declared) <= untimedBytes) {
    return new Uint8Array(await request.arrayBuffer().catch(throwBodyFailure));
  }
  const length = declared === null ? undefined : Number(declared);
  return request.body ? collect(request.body, length, limit, room) : new Uint8Array();
}

/**
 * Collects a body. Room is taken after the first 64 KiB, so that a client that only announces a body holds
 * none.
 */
async function collect(
  body: ReadableStream<Uint8Array>,
  declared: number | undefined,
  limit: number,
  room: BodyRoom | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array();
  let length = 0;
  let hasRoom = false;
  for await (const piece of arriving(body, limit)) {
    const needed = length + piece.length;
    if (needed > untimedBytes && !hasRoom) {
      await room?.take(declared ?? limit);
      hasRoom = true;
    }
    if (needed > bytes.length) {
      const expected = hasRoom ? (declared ?? Math.min(2 * length, limit)) : needed;
      bytes = new Uint8Array(bytes.buffer.transfer(Math.max(needed, expected)));
    }
    bytes.set(piece, length);
    length = needed;
  }
  return bytes.subarray(0, length);
}

/** Reads a body without keeping it, within the same limits. Throws 413 and 408. */
export async function drainBody({ body }: Request, limit: number): Promise<void> {
  const reading = body ? arriving(body, limit) : [];
  // oxlint-disable-next-line no-unused-vars -- `arriving` checks each piece
  for await (const _piece of reading);
}

/**
 * Yields the pieces of a body. A piece is valid until the next one is requested. At every piece, the time
 * limit is that of a body of the bytes so far ({@link bodyArrivesWithinMs}).
 */
async function* arriving(body: ReadableStream<Uint8Array>, limit: number) {
  const pieces = piecesOf(body);
  let [length, waitedMs] = [0, 0];
  let isReading = false;
  try {
    for (;;) {
      const asked = Date.now();
      const milliseconds = Math.max(1, bodyArrivesWithinMs(length) - waitedMs);
      isReading = true;
      const reading = pieces.next().catch(throwBodyFailure);
      const { done, value } = await pTimeout(reading, { milliseconds, message: late });
      isReading = false;
      waitedMs += Date.now() - asked;
      if (done || !value) return;
      length += value.length;
      if (length > limit) throw overLimit(limit);
      yield value;
    }
  } finally {
    // The rest can then be discarded if the body was refused.
    if (!isReading) pieces.release();
  }
}

interface Pieces {
  next(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  /** Releases the lock of the stream. Must not be called during a read. */
  release(): void;
}

/** Reads a stream in pieces of 64 KiB if the stream can; the chunks of workerd's requests have 4 KiB. */
function piecesOf(body: ReadableStream<Uint8Array>): Pieces {
  let reader: MinimumReader;
  try {
    reader = body.getReader({ mode: 'byob' });
  } catch {
    // Streams made by JavaScript, and those of Node's requests, are not byte streams.
    const chunks = body.getReader();
    return { next: () => chunks.read(), release: () => chunks.releaseLock() };
  }
  let buffer = new ArrayBuffer(untimedBytes);
  return {
    async next() {
      const piece = await reader.read(new Uint8Array(buffer), { min: buffer.byteLength });
      if (piece.value) buffer = piece.value.buffer;
      return piece;
    },
    release: () => reader.releaseLock(),
  };
}

/**
 * The option `min` is standard, but missing in the types. https://streams.spec.whatwg.org/#byob-reader-read
 */
interface MinimumReader extends Pick<ReadableStreamBYOBReader, 'releaseLock'> {
  read(
    view: Uint8Array<ArrayBuffer>,
    options?: { min: number },
  ): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
}

/** Returns the error for a body whose client disconnected, ended it early, or sent malformed chunks. */
export function bodyFailure(error: unknown): ServiceError {
  if (error instanceof Error && error.message.includes('client disconnected')) return clientLeft();
  return new ServiceError('malformed_body', 'the body ends early, or its chunks are malformed');
}

function throwBodyFailure(error: unknown): never {
  throw bodyFailure(error);
}

/** Bytes that workerd still reads from a connection after its answer (kj's `canceledUploadGraceBytes`). */
const graceBytes = MiB / 16;
/** Limits in bytes and milliseconds for reading the rest of a refused body. */
const discardedBytes = 64 * MiB;
const discardTimeoutMs = 10_000;

/**
 * Reads the rest of the body of a refused call. Otherwise a client that is still sending would lose its
 * connection before it has read the answer.
 */
export async function discardBody({ body, headers }: Request): Promise<void> {
  if (!body || body.locked || Number(headers.get('content-length') ?? Infinity) <= graceBytes)
    return;
  let read = 0;
  const sink = new WritableStream<Uint8Array>({
    write(chunk, controller) {
      read += chunk.length;
      if (read > discardedBytes) controller.error();
    },
  });
  await pTimeout(body.pipeTo(sink), { milliseconds: discardTimeoutMs }).catch(() => {});
}

const late = new ServiceError(
  'request_timeout',
  'the body did not arrive in time; nothing was charged',
);

/** Returns the error for a body that is larger than its limit. */
export const overLimit = (limit: number) =>
  new ServiceError('payload_too_large', `the body is larger than ${sizeName(limit)}`);

const sizeName = (bytes: number) =>
  bytes < MiB ? `${Math.floor(bytes / 1024)} kB` : `${Math.floor(bytes / MiB)} MB`;
