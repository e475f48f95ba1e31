import type { Client } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { MiB, type Tool } from '../tools/tool.ts';
import type { BodyKind, UnreadBody } from '../tools/unread-body.ts';
import { overLimit, readBytes, type BodyRoom } from './body-stream.ts';
import { readForm } from './form.ts';
import { decodeUtf8, parseJson } from './json.ts';

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
  room?: BodyRoom,
): Promise<unknown> {
  const type = requireType(request, tool, kind);
  const bytes = await readBytes(request, limitOf(tool, kind), room);
  if (kind === 'form') return readForm(bytes, request.headers, tool, client.ignored);
  const text = decodeUtf8(bytes);
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
