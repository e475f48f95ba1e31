import { createHash } from 'node:crypto';
import { nanoid } from 'nanoid';
import { keptFor, type KeptAnswer, type Repeat } from '../account/repeats.ts';
import type { Caller } from '../account/caller.ts';
import { ServiceError } from '../errors.ts';
import { ignoredHeaderNames } from '../ignored-fields.ts';
import { orUnavailable } from '../or-unavailable.ts';
import { objectKey } from '../storage/link.ts';
import { MiB, price, type Tool } from '../tools/tool.ts';
import { queueTimeoutMs } from '../workshop/workshop.ts';
import { answerKept, type AppContext } from './answer.ts';
import { bodyArrivesWithinMs, bodySize, drainBody, mediaTypeOf } from './body.ts';

/** Bytes of an answer that the account keeps itself; larger ones lie in R2. */
const smallAnswerBytes = MiB / 8;
/** Milliseconds for the account, or R2, to answer. */
const storeTimeoutMs = 10_000;

/** A call that is to run once. Disposed of without an answer kept, it may begin anew. */
export interface Once extends Disposable {
  /** The answer of the first call, for a repeated one. */
  earlier?: Response;
  /** The request to run, whose body is read exactly once. */
  request: Request;
  keep(response: Response): Promise<void>;
}

/**
 * Begins a call with an `Idempotency-Key`, which runs once in 24 hours: whoever repeats it gets the
 * same answer, and pays nothing (draft-ietf-httpapi-idempotency-key-header-07). A failed call was not
 * paid for, and runs again when it is repeated. Without the header, without a key to pay by, and with
 * nothing to pay, a call just runs. Throws 409 while the first call runs, and 422 when it had another body.
 */
export async function beginOnce(c: AppContext, tool: Tool, caller: Caller): Promise<Once> {
  const { raw } = c.req;
  const given = raw.headers.get('idempotency-key');
  if (given === null || caller.account === undefined || tool.credits === price.free) {
    return unrepeated(raw);
  }
  const account = c.env.ACCOUNTS.getByName(caller.account);
  const key = keyOf(given);
  await caller.verify();
  const begun = account.beginRepeat(key, longestCallMs(raw, tool)) as Promise<Repeat>;
  const message = 'repeated calls cannot be told just now';
  const repeat = await orUnavailable(begun, storeTimeoutMs, message);
  if (repeat.state === 'running') {
    const message = 'Idempotency-Key: the first call with it is still under way';
    throw new ServiceError('conflict', message, { retryAfter: 1 });
  }
  const { request, fingerprint } = fingerprinted(raw, tool);
  if (repeat.state === 'answered') {
    await drainBody(request, bodySize(raw, tool));
    const earlier = await answerAgain(c, repeat, fingerprint);
    return { ...unrepeated(request), earlier };
  }
  let kept = false;
  return {
    request,
    async keep(response) {
      kept = true;
      // It has been paid for: whether it can be kept or not, it is given.
      const keeping = toKeep(response.clone(), tool, c.env.FILES).then((answer) =>
        account.keepRepeat(key, fingerprint(), answer),
      );
      const message = 'an answer could not be kept';
      await orUnavailable(keeping, storeTimeoutMs, message).catch(() => {});
    },
    [Symbol.dispose]() {
      if (!kept) c.executionCtx.waitUntil(account.forgetRepeat(key));
    },
  };
}

const unrepeated = (request: Request): Once => ({
  request,
  keep: async () => {},
  [Symbol.dispose]() {},
});

/** Milliseconds after which a first call has ended, whatever became of it. */
const longestCallMs = (request: Request, tool: Tool) =>
  bodyArrivesWithinMs(bodySize(request, tool)) + queueTimeoutMs + tool.seconds * 1000;

async function answerAgain(
  c: AppContext,
  { answer, fingerprint: first }: Extract<Repeat, { state: 'answered' }>,
  fingerprint: () => string,
): Promise<Response> {
  if (fingerprint() !== first) {
    const message = 'was used for another call; take a new one for each';
    throw new ServiceError('invalid_input', `Idempotency-Key: ${message}`);
  }
  const body = bodyOf(answer, c.env.FILES);
  const message = 'the answer of before cannot be reached just now';
  return answerKept(c, answer, await orUnavailable(body, storeTimeoutMs, message));
}

/** The draft writes it as a string of RFC 9651, others without quotes. */
function keyOf(given: string): string {
  const [, key] = /^"?([\x21\x23-\x7e]{1,255})"?$/.exec(given.trim()) ?? [];
  if (key !== undefined) return createHash('sha256').update(key).digest('base64url');
  const message = 'Idempotency-Key: must be 1 to 255 printable ASCII characters, such as a UUID';
  throw new ServiceError('invalid_request', message);
}

/**
 * The same request, and what tells it from others once its body has been read: SHA-256 of tool, media
 * type and body. The boundary of a form does not count, since it is another one each time.
 */
function fingerprinted(request: Request, tool: Tool) {
  const type = request.headers.get('content-type') ?? '';
  const hash = createHash('sha256').update(`${tool.name}\n${mediaTypeOf(request)}\n`);
  const [, boundary = ''] = /boundary="?([^";]+)/i.exec(type) ?? [];
  const leaveOut = Buffer.from(boundary);
  let rest = Buffer.alloc(0);
  const note = (bytes: Buffer, isLast: boolean) => {
    let from = 0;
    for (;;) {
      const at = boundary ? bytes.indexOf(leaveOut, from) : -1;
      if (at < 0) break;
      hash.update(bytes.subarray(from, at));
      from = at + leaveOut.length;
    }
    // The beginning of a boundary may stand at the end.
    const keep = isLast ? 0 : Math.min(Math.max(leaveOut.length - 1, 0), bytes.length - from);
    hash.update(bytes.subarray(from, bytes.length - keep));
    return bytes.subarray(bytes.length - keep);
  };
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      rest = note(Buffer.concat([rest, chunk]), false);
      controller.enqueue(chunk);
    },
  });
  const body = request.body?.pipeThrough(passing) ?? null;
  return {
    request: new Request(request.url, { method: 'POST', headers: request.headers, body }),
    fingerprint() {
      note(rest, true);
      return hash.digest('base64url');
    },
  };
}

async function toKeep(response: Response, tool: Tool, files: R2Bucket): Promise<KeptAnswer> {
  const type = response.headers.get('content-type')!;
  const own = [...Object.keys(tool.headers ?? {}), ...ignoredHeaderNames];
  const headers = Object.fromEntries(
    own
      .filter((name) => response.headers.has(name))
      .map((name) => [name, response.headers.get(name)!]),
  );
  const bytes = await response.bytes();
  if (bytes.length <= smallAnswerBytes) return { type, headers, body: bytes };
  const object = objectKey(Math.floor(Date.now() / 1000) + keptFor, nanoid(), 'answer');
  await files.put(object, bytes);
  return { type, headers, body: { object } };
}

async function bodyOf({ body }: KeptAnswer, files: R2Bucket): Promise<BodyInit> {
  if (body instanceof Uint8Array) return body as BodyInit;
  const object = await files.get(body.object);
  if (!object) throw new Error(`${body.object} is gone`);
  return object.body;
}
