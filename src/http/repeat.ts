import { createHash } from 'node:crypto';
import { nanoid } from 'nanoid';
import pTimeout from 'p-timeout';
import { keptFor, type KeptAnswer, type Repeat } from '../account/repeats.ts';
import type { Caller } from '../account/caller.ts';
import { ServiceError } from '../errors.ts';
import { orUnavailable } from '../or-unavailable.ts';
import { objectKey } from '../storage/link.ts';
import { MiB, type Tool } from '../tools/tool.ts';
import { answerKept, type AppContext } from './answer.ts';

/** Bytes of an answer that the account keeps itself; larger ones lie in R2. */
const small = MiB / 8;
const patience = 10_000;
/** Milliseconds in which the body of a repeated call has to be there, to be compared. */
const drainedWithin = 120_000;

/**
 * Runs a call with an `Idempotency-Key` once in 24 hours: whoever repeats it gets the same answer, and
 * pays nothing (draft-ietf-httpapi-idempotency-key-header-07). What failed was not paid for, and may
 * be repeated anyway. Without the header, or without a key to pay by, it just runs.
 *
 * @param run takes the request, whose body is read exactly once
 */
export async function onceOnly(
  c: AppContext,
  tool: Tool,
  caller: Caller,
  run: (request: Request) => Promise<Response>,
): Promise<Response> {
  const given = c.req.raw.headers.get('idempotency-key');
  if (given === null || caller.account === undefined) return run(c.req.raw);
  const account = c.env.ACCOUNTS.getByName(caller.account);
  const key = keyOf(given);
  await caller.verify();
  const begun = account.beginRepeat(key) as Promise<Repeat>;
  const repeat = await orUnavailable(begun, patience, 'repeated calls cannot be told just now');
  if (repeat.state === 'running') {
    const message = 'Idempotency-Key: the first call with it is still under way';
    throw new ServiceError('conflict', message, { retryAfter: 1 });
  }
  const { request, fingerprint } = fingerprinted(c.req.raw, tool);
  if (repeat.state === 'answered') {
    await pTimeout(request.body?.pipeTo(new WritableStream()) ?? Promise.resolve(), {
      milliseconds: drainedWithin,
      message: new ServiceError('request_timeout', 'the body did not arrive in time'),
    });
    if (fingerprint() !== repeat.fingerprint) {
      const message = 'was used for another call; take a new one for each';
      throw new ServiceError('invalid_input', `Idempotency-Key: ${message}`);
    }
    const body = bodyOf(repeat.answer, c.env.FILES);
    const message = 'the answer of before cannot be reached just now';
    return answerKept(c, repeat.answer, await orUnavailable(body, patience, message));
  }
  const response = await run(request).catch((error: unknown) => {
    c.executionCtx.waitUntil(account.forgetRepeat(key));
    throw error;
  });
  // It has been paid for: whether it can be kept or not, it is given.
  const kept = keep(response.clone(), tool, c.env.FILES).then((answer) =>
    account.keepRepeat(key, fingerprint(), answer),
  );
  await orUnavailable(kept, patience, 'an answer could not be kept').catch(() => {});
  return response;
}

/** The draft writes it as a string of RFC 9651, others without quotes. */
function keyOf(given: string): string {
  const [, key] = /^"?([\x21\x23-\x7e]{1,255})"?$/.exec(given.trim()) ?? [];
  if (key !== undefined) return createHash('sha256').update(key).digest('base64url');
  const message = 'Idempotency-Key: must be 1 to 255 printable ASCII characters, such as a UUID';
  throw new ServiceError('invalid_request', message);
}

/**
 * The same request, and what tells it from others once its body has been read: SHA-256 of tool and
 * body. The boundary of a form does not count, since it is another one each time.
 */
function fingerprinted(request: Request, tool: Tool) {
  const hash = createHash('sha256').update(`${tool.name}\n`);
  const type = request.headers.get('content-type') ?? '';
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

async function keep(response: Response, tool: Tool, files: R2Bucket): Promise<KeptAnswer> {
  const type = response.headers.get('content-type')!;
  const own = Object.keys(tool.headers ?? {});
  const headers = Object.fromEntries(own.map((name) => [name, response.headers.get(name)!]));
  const bytes = await response.bytes();
  if (bytes.length <= small) return { type, headers, body: bytes };
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
