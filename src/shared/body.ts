import pTimeout from 'p-timeout';
import type { z } from 'zod';
import type { Client } from '../context.ts';
import { clientLeft, ServiceError, invalidInput } from '../errors.ts';
import { noteIgnored, noteUnknown, type IgnoredFields } from './ignored-fields.ts';
import { MiB, type Tool } from '../tools/tool.ts';
import type { BodyKind, UnreadBody } from '../tools/unread-body.ts';
import { fieldPaths, unwrap } from './input.ts';
import { requireWellFormed } from './lone-surrogates.ts';
import type { Room } from '../http/room.ts';

/** Largest JSON body in bytes of a tool without a `bodyLimit`. */
const defaultLimit = 10 * MiB;
/** Largest MCP message in bytes: a file of 10 MB in base64, and the rest of the message. */
export const largestMessage = 15 * MiB;
/** Bytes that the boundaries and the other fields of a form may add to its file. */
const formOverheadBytes = MiB / 16;

/**
 * Returns the largest number of bytes that the body of a request may have: declared, or the limit of the
 * tool.
 */
export function bodySize(request: Request, tool: Tool): number {
  const most = Math.max(limitOf(tool, 'json'), tool.upload ? limitOf(tool, 'form') : 0);
  return Math.min(Number(request.headers.get('content-length') ?? most), most);
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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Returns the kind of a body by its media type. A tool that takes files accepts JSON and forms under its own
 * path, although the specification gives the path to one of them.
 *
 * @param usual the kind for other media types
 */
export function bodyKindOf({ headers }: Request, usual: BodyKind): BodyKind {
  const type = headers.get('content-type')?.trim().toLowerCase() ?? '';
  if (type.startsWith('multipart/')) return 'form';
  return jsonType.test(type.split(';', 1)[0]!.trim()) ? 'json' : usual;
}

/**
 * Reads a body and returns the tool's input. Throws 400, 408, 413, 415, 503, and 422 for lone surrogates.
 *
 * @param client is told which parts of a form are ignored
 * @param room counts the bytes of the body; without it nothing is counted
 */
export async function readBody(
  request: Request,
  tool: Tool,
  kind: BodyKind,
  client: Pick<Client, 'ignored'>,
  room?: Room,
): Promise<unknown> {
  const type = requireType(request, tool, kind);
  const bytes = await readBytes(request, limitOf(tool, kind), room);
  if (kind === 'form') return readForm(bytes, request.headers, tool, client.ignored);
  const text = decode(bytes);
  if (kind === 'message') return parseJson(text);
  return type === 'text/plain' ? { [tool.plainText!.from]: text } : parseJson(text);
}

/** Returns a body that is to be passed on. Throws 415, and 413 if the declared length exceeds the limit. */
export function unreadBody(request: Request, tool: Tool, kind: BodyKind): UnreadBody {
  requireType(request, tool, kind);
  const length = request.headers.get('content-length');
  const limit = limitOf(tool, kind);
  if (Number(length) > limit) throw overLimit(limit);
  return {
    kind,
    type: request.headers.get('content-type')!,
    body: request.body ?? '',
    ...(length !== null && { length: Number(length) }),
  };
}

function limitOf(tool: Tool, kind: BodyKind): number {
  if (kind === 'message') return largestMessage;
  return kind === 'form'
    ? tool.upload!.limit + formOverheadBytes
    : (tool.bodyLimit ?? defaultLimit);
}

/** Parses a form: the file, its name, and the JSON in the field `options`. */
async function readForm(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Headers,
  tool: Tool,
  ignored: IgnoredFields,
): Promise<unknown> {
  const { field, as, others } = tool.upload!;
  const form = await new Response(bytes, { headers }).formData().catch(() => {
    throw new ServiceError('malformed_body', 'the body is not a valid multipart form');
  });
  const file = form.get(field);
  if (!(file instanceof File)) throw invalidInput(field, 'is required, as a file');
  noteParts(form, tool, ignored);
  const options = form.get('options') ?? '';
  // `curl -F options=@options.json` sends a file.
  const json = typeof options === 'string' ? options : decode(await options.bytes());
  const fields = json === '' ? {} : parseJson(json);
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw invalidInput('options', 'must be a JSON object');
  }
  if (Object.hasOwn(fields, as)) noteIgnored(ignored, as, field);
  return {
    ...(Object.hasOwn(tool.input.shape, 'filename') && { filename: file.name }),
    ...(others ? grouped(fields as Record<string, unknown>, tool.input, others) : fields),
    [as]: await file.bytes(),
  };
}

/** Returns the options of a form as a tool's input, in which some of them are in an object of their own. */
function grouped(fields: Record<string, unknown>, input: z.ZodObject, group: string) {
  const { shape } = unwrap(input.shape[group] as z.ZodType) as z.ZodObject;
  const isInGroup = ([name]: [string, unknown]) => Object.hasOwn(shape, name);
  const entries = Object.entries(fields);
  const inGroup = Object.fromEntries(entries.filter(isInGroup));
  const others = Object.fromEntries(entries.filter((entry) => !isInGroup(entry)));
  return { ...others, [group]: { ...inGroup, ...(fields[group] as object | undefined) } };
}

/** Notes the parts of a form that are ignored: unknown fields, and repetitions of the file or of `options`. */
function noteParts(form: FormData, { upload, input }: Tool, ignored: IgnoredFields): void {
  const { field, as } = upload!;
  const options = () =>
    fieldPaths(input)
      .filter((path) => path !== as && path !== 'options')
      .map((path) => (path.startsWith('options.') ? path : `options.${path}`));
  const counts = new Map<string, number>();
  for (const name of form.keys()) {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    if (name !== field && name !== 'options') {
      noteUnknown(ignored, name, '', [field, 'options'], options);
    } else if (count > 0) {
      noteIgnored(ignored, `${name}[${count}]`);
    }
  }
}

/** Returns an error about a form's input with the name of the form field instead of the input field. */
export function inForm(error: unknown, { upload }: Tool): unknown {
  if (!(error instanceof ServiceError) || !upload || !error.errors) return error;
  const { code, message, errors } = error;
  return new ServiceError(code, message.replace(`${upload.as}:`, `${upload.field}:`), {
    errors: errors.map((one) => (one.path === upload.as ? { ...one, path: upload.field } : one)),
  });
}

/** Returns the media type. Throws 415 for a type that the path does not accept, and for a compressed body. */
function requireType(request: Request, tool: Tool, kind: BodyKind): string {
  const { headers } = request;
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    const message = `send the body without Content-Encoding: ${encoding}`;
    throw new ServiceError('unsupported_media_type', message);
  }
  const type = mediaTypeOf(request);
  if (kind === 'form') {
    if (type !== 'multipart/form-data') throw unsupported(type, 'multipart/form-data');
  } else if (!(tool.plainText && type === 'text/plain') && !jsonType.test(type)) {
    throw unsupported(type, tool.plainText ? 'application/json or text/plain' : 'application/json');
  }
  return type;
}

/** Returns the Content-Type without its parameters, in lower case. */
export const mediaTypeOf = ({ headers }: Request): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();

const jsonType = /^application\/(?:[\w.-]+\+)?json$/;

const unsupported = (got: string, want: string) =>
  new ServiceError(
    'unsupported_media_type',
    `send Content-Type: ${want}${got ? `, not ${got}` : ''}`,
  );

/**
 * Reads a whole body. Throws 413 if it has more than `limit` bytes, 408 if it arrives too slowly, and 503 if
 * there is no room for it. Without `room` its memory is not counted.
 */
export async function readBytes(
  request: Request,
  limit: number,
  room?: Room,
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
  room: Room | undefined,
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

const overLimit = (limit: number) =>
  new ServiceError('payload_too_large', `the body is larger than ${sizeName(limit)}`);

const sizeName = (bytes: number) =>
  bytes < MiB ? `${Math.floor(bytes / 1024)} kB` : `${Math.floor(bytes / MiB)} MB`;

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError('malformed_body', 'the body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new ServiceError('malformed_body', 'the body is empty');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ServiceError('malformed_body', `the body is not JSON: ${(error as Error).message}`);
  }
  // UTF-8 cannot contain lone surrogates, so only a JSON escape can produce one.
  if (/\\u[dD]/.test(text)) requireWellFormed(value);
  return value;
}
