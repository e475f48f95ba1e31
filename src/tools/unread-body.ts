import { invalidInput } from '../errors.ts';
import type { Tool } from './tool.ts';

/** How a path takes its body; `message` is one of MCP with the call in it. */
export type BodyKind = 'json' | 'form' | 'message';

/** A request's body that is passed on as it came, because it is read somewhere else. */
export interface UnreadBody {
  kind: BodyKind;
  /** Its Content-Type. */
  type: string;
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string;
  /** Bytes, where the sender said. */
  length?: number;
  /** Which message of a batch has the call. */
  place?: number;
}

/** An input as a body. Throws a 422 for an input that JSON cannot hold. */
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
    throw invalidInput('', `must be what JSON can hold: ${(error as Error).message}`);
  }
}

/**
 * Prepares a body for `fetch`, and records why reading it failed. A stream of known length keeps its length,
 * so that `fetch` sends `Content-Length`. A stream of unknown length is copied chunk by chunk, because `fetch`
 * fails in the same way when the body breaks off and when the other side is lost.
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
