import { invalidInput } from '../errors.ts';
import type { Tool } from './tool.ts';

/** The format of a body; `message` is an MCP message that contains the call. */
export type BodyKind = 'json' | 'form' | 'message';

/** The body of a request that is passed on unread, because another process reads it. */
export interface UnreadBody {
  kind: BodyKind;
  /** The Content-Type. */
  type: string;
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string;
  /** The number of bytes, if the client declared it. */
  length?: number;
  /** Index of the message with the call in a batch. */
  place?: number;
}

/** Returns an input as a body. Throws a 422 for an input that has no JSON representation. */
export async function unreadBodyOf({ upload }: Tool, input: object): Promise<UnreadBody> {
  const { [upload?.as ?? '']: content, ...options } = input as Record<string, unknown>;
  if (!upload || !(content instanceof Uint8Array)) {
    return { kind: 'json', type: 'application/json', body: toJson(input) };
  }
  const form = new FormData();
  form.set(upload.field, new File([content as Uint8Array<ArrayBuffer>], ''));
  form.set('options', toJson(options));
  const { headers, body } = new Response(form);
  return { kind: 'form', type: headers.get('Content-Type')!, body: body! };
}

function toJson(input: object): string {
  try {
    return JSON.stringify(input);
  } catch (error) {
    throw invalidInput('', `cannot be written as JSON: ${(error as Error).message}`);
  }
}

/**
 * Prepares a body for `fetch`, and records why reading it failed. A stream of known length keeps its length,
 * so that `fetch` sends `Content-Length`. A stream of unknown length is copied chunk by chunk, because
 * `fetch` fails in the same way when the body breaks off and when the other side is lost.
 */
export function watchedBody({ body, length }: Pick<UnreadBody, 'body' | 'length'>) {
  const watched: { body: BodyInit; failure?: unknown } = { body };
  if (!(body instanceof ReadableStream)) return watched;
  if (length !== undefined) {
    watched.body = body.pipeThrough(new FixedLengthStream(length));
    return watched;
  }
  const reader = body.getReader();
  watched.body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        watched.failure = error;
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return watched;
}
