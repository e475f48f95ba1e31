import type { Client, Context } from '../context.ts';
import { clientLeft, ServiceError, tookTooLong } from '../errors.ts';
import { bodyArrivesWithinMs } from '../http/body.ts';
import { takeRoom } from '../http/room.ts';
import type { Answer } from '../tools/answer.ts';
import type { Tool } from '../tools/tool.ts';
import { openParcel, parcelType } from './parcel.ts';
import { jobHeaders, refusalShape } from './protocol.ts';
import { queueTimeoutMs, type Job, type Workshop } from './workshop.ts';

/** Milliseconds that the answer may take on its way, before the front gives up. */
const marginMs = 5000;

/**
 * A workshop behind a service binding: another Worker, or on one's own machine the dispatcher of
 * scripts/workshops.ts. A call is `POST /<tool>/<json or form>` with the body as it came.
 */
export function boundWorkshop(binding: Fetcher, context: Context): Workshop {
  return {
    async run(job) {
      const response = await ask(binding, job, context.client);
      if (!response.ok) throw await refusalOf(response);
      return answerOf(response, job.tool, context);
    },
  };
}

async function ask(binding: Fetcher, job: Job, client: Client): Promise<Response> {
  const { tool, body, checkOnly } = job;
  const { account, requestId, signal } = client;
  const bodyMs = bodyArrivesWithinMs(body.length ?? tool.bodyLimit ?? 0);
  const limitMs = bodyMs + queueTimeoutMs + tool.seconds * 1000 + marginMs;
  const timeout = AbortSignal.timeout(limitMs);
  try {
    const response = await binding.fetch(`http://workshop/${tool.name}/${body.kind}`, {
      method: 'POST',
      headers: {
        'Content-Type': body.type,
        [jobHeaders.requestId]: requestId,
        [jobHeaders.account]: encodeURIComponent(account ?? ''),
        [jobHeaders.timeLimitMs]: String(tool.seconds * 1000),
        [jobHeaders.computingLimitMs]: String((tool.computingSeconds ?? tool.seconds) * 1000),
        ...(checkOnly && { [jobHeaders.checkOnly]: 'true' }),
      },
      body: sized(body),
      signal: AbortSignal.any([signal, timeout]),
    });
    if (response.headers.has(jobHeaders.answered)) return response;
    throw new Error(`the workshop's place answered ${response.status}`);
  } catch (error) {
    if (signal.aborted) throw clientLeft();
    if (timeout.aborted) throw tookTooLong(tool.name, tool.seconds);
    throw lost(error);
  }
}

/** A body whose length is known keeps it, also behind a stream that hides it. */
function sized({ body, length }: Job['body']): BodyInit {
  if (typeof body === 'string' || length === undefined) return body;
  return body.pipeThrough(new FixedLengthStream(length));
}

const lost = (cause: unknown) => {
  console.error('the workshop lost a call', cause);
  const message = 'the process that ran this call ended; nothing was charged, try again';
  return new ServiceError('unavailable', message, { retryAfter: 1 });
};

/** Reads the whole answer, so that nothing is charged for one that breaks off. */
async function answerOf(response: Response, tool: Tool, context: Context): Promise<Answer> {
  const { headers } = response;
  using _room = await takeRoom(Number(headers.get('Content-Length') ?? 0));
  try {
    const type = headers.get('Content-Type')!;
    const own = Object.keys(tool.headers ?? {});
    const named = Object.fromEntries(own.map((name) => [name, headers.get(name)!]));
    if (type !== parcelType)
      return { type, headers: named, body: new Uint8Array(await response.arrayBuffer()) };
    const body = await openParcel(response.body!, context.storage);
    return { type: 'application/json', headers: named, body };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw context.client.signal.aborted ? clientLeft() : lost(error);
  }
}

async function refusalOf(response: Response): Promise<ServiceError> {
  const { data } = refusalShape.safeParse(await response.json().catch(() => undefined));
  if (!data) return lost(new Error(`an error of another shape, with status ${response.status}`));
  return new ServiceError(data.code, data.message, {
    ...(data.errors && { errors: data.errors }),
    ...(data.retryAfter !== undefined && { retryAfter: data.retryAfter }),
  });
}
