import pTimeout from 'p-timeout';
import { clientLeft, ServiceError, invalidInput } from '../errors.ts';
import { readWithin } from '../read-within.ts';
import { MiB, type Tool } from '../tools/tool.ts';
import type { BodyKind, UnreadBody } from '../tools/unread-body.ts';
import { requireWellFormed } from '../well-formed.ts';

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
/** Bytes of a body that may arrive as slowly as its sender likes. */
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

/** Reads a body as the tool's input. Throws 415, 413, 408, 400 and, for lone surrogates, 422. */
export async function readBody(request: Request, tool: Tool, kind: BodyKind): Promise<unknown> {
  const type = requireType(request, tool, kind);
  const bytes = await readBytes(request, limitOf(tool, kind));
  if (kind === 'form') return readForm(bytes, request.headers, tool);
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
): Promise<unknown> {
  const { field, as, others } = tool.upload!;
  const form = await new Response(bytes, { headers }).formData().catch(() => {
    throw new ServiceError('malformed_body', 'the body is not a valid multipart form');
  });
  const file = form.get(field);
  if (!(file instanceof File)) throw invalidInput(field, 'is required, as a file');
  const options = form.get('options');
  const fields = typeof options === 'string' && options !== '' ? parseJson(options) : {};
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw invalidInput('options', 'must be a JSON object');
  }
  return {
    filename: file.name,
    ...fields,
    ...(others && { [others]: { ...fields, ...(fields as Record<string, object>)[others] } }),
    [as]: new Uint8Array(await file.arrayBuffer()),
  };
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
  const type = (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (kind === 'form') {
    if (type !== 'multipart/form-data') throw unsupported(type, 'multipart/form-data');
  } else if (!(tool.plainText && type === 'text/plain') && !jsonType.test(type)) {
    throw unsupported(type, tool.plainText ? 'application/json or text/plain' : 'application/json');
  }
  return type;
}

const jsonType = /^application\/(?:[\w.-]+\+)?json$/;

const unsupported = (got: string, want: string) =>
  new ServiceError(
    'unsupported_media_type',
    `send Content-Type: ${want}${got ? `, not ${got}` : ''}`,
  );

/** The whole body, but never more than `limit` bytes of it, and not forever. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length');
  const size = Number(declared ?? limit);
  if (size > limit) throw overLimit(limit);
  // A small body holds no more than an idle connection does, and a timer has its cost.
  if (size <= untimedBytes) return bytesOf(request);
  const reading = declared === null ? readWithin(request, limit) : bytesOf(request);
  const timeout = { milliseconds: bodyArrivesWithinMs(size), message: late };
  const bytes = await pTimeout(reading.catch(brokenOff), timeout);
  if (!bytes) throw overLimit(limit);
  return bytes;
}

const bytesOf = async (request: Request) =>
  new Uint8Array(await request.arrayBuffer().catch(brokenOff));

/** The runtime fails to read a body only when its sender has gone. */
function brokenOff(): never {
  throw clientLeft();
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
export async function discardBody({ body, headers, bodyUsed }: Request): Promise<void> {
  if (!body || bodyUsed || Number(headers.get('content-length') ?? Infinity) <= graceBytes) return;
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
  new ServiceError('payload_too_large', `the body is larger than ${Math.floor(limit / MiB)} MB`);

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError('malformed_body', 'the body is not UTF-8');
  }
}

export function parseJson(text: string): unknown {
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
