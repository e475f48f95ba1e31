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

/** Largest JSON body in bytes, where the tool does not say. */
const defaultLimit = 10 * MiB;
/** Bytes of one MCP message: a file of 10 MB in base64, and the rest of the message. */
export const largestMessage = 15 * MiB;
/** What boundaries and the other fields of a form may add to its file. */
const formOverhead = MiB / 16;

/** How many bytes of a request's body may have to be kept, JSON or form. */
export function bodySize(request: Request, tool: Tool): number {
  const most = Math.max(limitOf(tool, 'json'), tool.upload ? limitOf(tool, 'form') : 0);
  return Math.min(Number(request.headers.get('content-length') ?? most), most);
}

/** Milliseconds that any body may take to arrive, and the slowest sending beyond them. */
const bodyReadTimeoutMs = 20_000;
const slowestBytesPerMs = 50;
/** Bytes of a body that may arrive as slowly as its sender likes, and that take no room. */
const untimedBytes = MiB / 16;

/** How long a body of so many bytes may take to arrive, in milliseconds: 10 MB have 230 seconds. */
export const bodyArrivesWithinMs = (bytes: number) => bodyReadTimeoutMs + bytes / slowestBytesPerMs;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** A tool that takes files takes both under its own name, which the specification gives to one of them. */
export function kindOf({ headers }: Request, usual: BodyKind): BodyKind {
  const type = headers.get('content-type')?.trim().toLowerCase() ?? '';
  if (type.startsWith('multipart/')) return 'form';
  return jsonType.test(type.split(';', 1)[0]!.trim()) ? 'json' : usual;
}

/**
 * Reads a body as the tool's input. Throws 415, 413, 408, 503, 400 and, for lone surrogates, 422.
 *
 * @param client who is told which parts of a form are ignored
 * @param room that the body takes; without it nothing is counted
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

/** A body to pass on. Throws 415, and 413 where its length is declared. */
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
  return kind === 'form' ? tool.upload!.limit + formOverhead : (tool.bodyLimit ?? defaultLimit);
}

/** The form's file with its name, and `options` with the other fields as JSON. */
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

/** A form's options in the order of an input, in which some of them are in an object of their own. */
function grouped(fields: Record<string, unknown>, input: z.ZodObject, group: string) {
  const { shape } = unwrap(input.shape[group] as z.ZodType) as z.ZodObject;
  const isInGroup = ([name]: [string, unknown]) => Object.hasOwn(shape, name);
  const entries = Object.entries(fields);
  const inGroup = Object.fromEntries(entries.filter(isInGroup));
  const others = Object.fromEntries(entries.filter((entry) => !isInGroup(entry)));
  return { ...others, [group]: { ...inGroup, ...(fields[group] as object | undefined) } };
}

/** Notes the parts of a form that are not read: other fields than the two, and these when they come again. */
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

/** An error about the input of a form: it names the form's field. */
export function inForm(error: unknown, { upload }: Tool): unknown {
  if (!(error instanceof ServiceError) || !upload || !error.errors) return error;
  const { code, message, errors } = error;
  return new ServiceError(code, message.replace(`${upload.as}:`, `${upload.field}:`), {
    errors: errors.map((one) => (one.path === upload.as ? { ...one, path: upload.field } : one)),
  });
}

/** The media type, if it is one that the path takes, and the body is as it is meant. Throws 415. */
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

/** Content-Type without parameters, in lower case. */
export const mediaTypeOf = ({ headers }: Request): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();

const jsonType = /^application\/(?:[\w.-]+\+)?json$/;

const unsupported = (got: string, want: string) =>
  new ServiceError(
    'unsupported_media_type',
    `send Content-Type: ${want}${got ? `, not ${got}` : ''}`,
  );

/**
 * The whole body. Throws 413 when it has more than `limit` bytes, 408 when it arrives too slowly, and 503
 * when there is no room for it. Without `room` nothing is counted.
 */
export async function readBytes(
  request: Request,
  limit: number,
  room?: Room,
): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length');
  if (Number(declared) > limit) throw overLimit(limit);
  // A small body holds no more than an idle connection does, and a timer has its cost.
  if (declared !== null && Number(declared) <= untimedBytes) {
    return new Uint8Array(await request.arrayBuffer().catch(throwBodyFailure));
  }
  const length = declared === null ? undefined : Number(declared);
  return request.body ? collect(request.body, length, limit, room) : new Uint8Array();
}

/** Takes room for a body when more than an untimed one has arrived: whoever only announces one holds nothing. */
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

/** Reads a body that nobody keeps, by the same limits. Throws 413 and 408. */
export async function drainBody({ body }: Request, limit: number): Promise<void> {
  const reading = body ? arriving(body, limit) : [];
  // oxlint-disable-next-line no-unused-vars -- what passes is looked at on its way
  for await (const _piece of reading);
}

/**
 * The pieces of a body, which hold until the next one is asked for. Its sender has to be as fast as
 * {@link bodyArrivesWithinMs} says at each of its bytes.
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
    // So that the rest can be discarded, where the reader of the body has refused it.
    if (!isReading) pieces.release();
  }
}

interface Pieces {
  next(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  /** Lets others read the rest. Not to be called while a read is under way. */
  release(): void;
}

/** Reads a stream in pieces of 64 KiB where it can: the chunks of workerd's requests have 4. */
function piecesOf(body: ReadableStream<Uint8Array>): Pieces {
  let reader: MinimumReader;
  try {
    reader = body.getReader({ mode: 'byob' });
  } catch {
    // A stream that JavaScript makes, or one of Node's requests.
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

/** `min` is standard, and not yet in the types. https://streams.spec.whatwg.org/#byob-reader-read */
interface MinimumReader extends Pick<ReadableStreamBYOBReader, 'releaseLock'> {
  read(
    view: Uint8Array<ArrayBuffer>,
    options?: { min: number },
  ): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
}

/** Why a body could not be read to its end: its sender disconnected, ended it early, or sent malformed chunks. */
export function bodyFailure(error: unknown): ServiceError {
  if (error instanceof Error && error.message.includes('client disconnected')) return clientLeft();
  return new ServiceError('malformed_body', 'the body ends early, or its chunks are malformed');
}

function throwBodyFailure(error: unknown): never {
  throw bodyFailure(error);
}

/** Bytes that a connection still takes after its answer (kj's `canceledUploadGraceBytes`). */
const graceBytes = MiB / 16;
/** How much is read of a body that nobody wants, and for how long. */
const discardedBytes = 64 * MiB;
const discardTimeoutMs = 10_000;

/**
 * Reads the rest of a body that a call was refused without: a client that is still sending would
 * lose its connection, and with it the answer.
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
  // Decoded UTF-8 has no lone surrogates; only an escape can bring one in.
  if (/\\u[dD]/.test(text)) requireWellFormed(value);
  return value;
}
