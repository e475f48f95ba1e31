import { createHash } from 'node:crypto';
import { nanoid } from 'nanoid';
import { answerLifeSeconds, type KeptAnswer, type Repeat } from '../account/repeats.ts';
import type { Caller } from '../account/caller.ts';
import { ServiceError } from '../errors.ts';
import { orUnavailable } from '../external-call.ts';
import { ignoredHeaderNames } from '../shared/ignored-fields.ts';
import { objectKey } from '../storage/link.ts';
import { MiB, price, type Tool } from '../tools/tool.ts';
import { queueTimeoutMs } from '../workshop/workshop.ts';
import { answerKept, type AppContext } from './answer.ts';
import { bodyArrivesWithinMs, drainBody } from '../shared/body-stream.ts';
import { bodySize, mediaTypeOf } from '../shared/body.ts';

/** Largest answer in bytes that the account's Durable Object stores. Larger answers are stored in R2. */
const smallAnswerBytes = MiB / 8;
/** Milliseconds that the account or R2 may take to answer. */
const storeTimeoutMs = 10_000;

/** A call with an `Idempotency-Key`. If no answer is stored before it is disposed, the call may run again. */
export interface Once extends Disposable {
  /** The answer of the first call, for a repeated one. */
  earlier?: Response;
  /** The request to run, whose body is read exactly once. */
  request: Request;
  keep(response: Response): Promise<void>;
}

/**
 * Begins a call with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07). For 24 hours a repeated
 * call gets the stored answer and costs nothing. A failed call was not charged, so a repetition runs again. The
 * header is ignored for a call without an API key and for a free tool. Throws 409 while the first call runs, and 422
 * when the first call had another body.
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
      // The call has been charged, so it is answered even if the answer cannot be stored.
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

/** Milliseconds after which a first call counts as ended, even if its isolate was lost. */
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

/** Reads the header: a string of RFC 9651, as in the draft, or a value without quotes. Returns its hash. */
function keyOf(given: string): string {
  const [, key] = /^"?([\x21\x23-\x7e]{1,255})"?$/.exec(given.trim()) ?? [];
  if (key !== undefined) return createHash('sha256').update(key).digest('base64url');
  const message = 'Idempotency-Key: must be 1 to 255 printable ASCII characters, such as a UUID';
  throw new ServiceError('invalid_request', message);
}

/**
 * Returns the request, and its fingerprint once its body has been read: the SHA-256 of tool, media type and body.
 * The boundary of a form is left out, because clients choose another one for each request.
 */
function fingerprinted(request: Request, tool: Tool) {
  const type = request.headers.get('content-type') ?? '';
  const hash = createHash('sha256').update(`${tool.name}\n${mediaTypeOf(request)}\n`);
  const isForm = mediaTypeOf(request).startsWith('multipart/');
  const [, boundary = ''] = (isForm && /boundary="?([^";]+)/i.exec(type)) || [];
  const leaveOut = Buffer.from(`\r\n--${boundary}`);
  // Every boundary but the first has a line break before it.
  let rest = Buffer.from(boundary && '\r\n');
  const note = (bytes: Buffer, isLast: boolean) => {
    let from = 0;
    for (;;) {
      const at = boundary ? bytes.indexOf(leaveOut, from) : -1;
      if (at < 0) break;
      hash.update(bytes.subarray(from, at));
      from = at + leaveOut.length;
    }
    // The last bytes may be the beginning of a boundary.
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
  const object = objectKey(Math.floor(Date.now() / 1000) + answerLifeSeconds, nanoid(), 'answer');
  await files.put(object, bytes);
  return { type, headers, body: { object } };
}

async function bodyOf({ body }: KeptAnswer, files: R2Bucket): Promise<BodyInit> {
  if (body instanceof Uint8Array) return body as BodyInit;
  const object = await files.get(body.object);
  if (!object) throw new Error(`${body.object} is gone`);
  return object.body;
}
