import type { Client, DoorContext } from '../context.ts';
import { clientLeft, ServiceError, tooLarge, tookTooLong } from '../errors.ts';
import { bodyArrivesWithinMs, bodyFailure } from '../shared/body-stream.ts';
import { largestMessage } from '../shared/body.ts';
import { refusalIn } from '../shared/refusal.ts';
import { roomFor } from '../http/room.ts';
import { ignoredHeaderNames, noteFromHeaders } from '../shared/ignored-fields.ts';
import type { Answer } from '../tools/answer.ts';
import { MiB, usualComputingSeconds, type Tool } from '../tools/tool.ts';
import { watchedBody, type UnreadBody } from '../tools/unread-body.ts';
import { openParcel, parcelType } from './parcel.ts';
import { jobHeaders, outlinePath } from './protocol.ts';
import { queueTimeoutMs, type Workshop } from './workshop.ts';

/** Milliseconds that the front waits beyond the time limits of the call, for the transfer of the answer. */
const transferMarginMs = 5000;
/** Time limit in seconds for reading an MCP message. */
const outlineSeconds = 5;

/**
 * Returns the workshop behind a service binding: another Worker, or on a local machine the dispatcher in
 * scripts/dispatcher.ts. A call is sent as `POST /<tool>/<kind of body>` with the request's body unchanged.
 */
export function boundWorkshop(binding: Fetcher, context: DoorContext): Workshop {
  return {
    async run({ tool, body, checkOnly }) {
      const path = `/${tool.name}/${body.kind}`;
      const headers = {
        [jobHeaders.timeLimitMs]: String(tool.seconds * 1000),
        [jobHeaders.computingLimitMs]: String(
          (tool.computingSeconds ?? usualComputingSeconds) * 1000,
        ),
        [jobHeaders.place]: String(body.place ?? 0),
        ...(checkOnly && { [jobHeaders.checkOnly]: 'true' }),
      };
      const name = { name: tool.name, seconds: tool.seconds };
      return readAnswer(
        await ask(binding, context.client, path, name, body, headers),
        tool,
        context,
      );
    },
    async outline(message) {
      const limit = { name: 'reading the message', seconds: outlineSeconds };
      const limitMs = String(outlineSeconds * 1000);
      const body = { type: 'application/json', body: message, length: message.length };
      const response = await ask(binding, context.client, outlinePath, limit, body, {
        [jobHeaders.timeLimitMs]: limitMs,
        [jobHeaders.computingLimitMs]: limitMs,
      });
      return response.text();
    },
  };
}

/**
 * Posts a job to the workshop. Throws the workshop's ServiceError, `timeout`, or `unavailable`.
 *
 * @param limited the name for error messages, and the time limit in seconds
 */
async function ask(
  binding: Fetcher,
  client: Client,
  path: string,
  limited: { name: string; seconds: number },
  body: Pick<UnreadBody, 'type' | 'body' | 'length'>,
  headers: Record<string, string>,
): Promise<Response> {
  const { account, requestId, signal } = client;
  const bodyMs = bodyArrivesWithinMs(body.length ?? largestMessage);
  const limitMs = limited.seconds * 1000;
  const timeout = AbortSignal.timeout(bodyMs + queueTimeoutMs + limitMs + transferMarginMs);
  const watched = watchedBody(body);
  const request = {
    method: 'POST',
    headers: {
      'Content-Type': body.type,
      [jobHeaders.requestId]: requestId,
      [jobHeaders.account]: encodeURIComponent(account ?? ''),
      ...headers,
    },
    body: watched.body,
    signal: AbortSignal.any([signal, timeout]),
  };
  const response = await binding
    .fetch(`http://workshop${path}`, request)
    .catch((error: unknown) => {
      if (signal.aborted) throw clientLeft();
      if (watched.failure) throw bodyFailure(watched.failure);
      throw timeout.aborted ? tookTooLong(limited.name, limited.seconds) : lost(error);
    });
  // When the stream fails, the runtime ends the chunked request as if it were complete.
  if (watched.failure) throw bodyFailure(watched.failure);
  if (!response.headers.has(jobHeaders.answered))
    throw lost(new Error(`status ${response.status}`));
  if (response.headers.has(ignoredHeaderNames[0]))
    noteFromHeaders(client.ignored, response.headers);
  if (!response.ok) throw await refusalOf(response);
  return response;
}

const lost = (cause: unknown) => {
  console.error('the workshop ended without answering a call', cause);
  const message = 'the process that ran this call ended; nothing was charged, try again';
  return new ServiceError('unavailable', message, { retryAfter: 1 });
};

/** Reads the whole answer before the call is charged, so that a truncated answer costs nothing. */
async function readAnswer(response: Response, tool: Tool, context: DoorContext): Promise<Answer> {
  const { headers } = response;
  const length = Number(headers.get('Content-Length') ?? 0);
  if (length > context.longestAnswer) {
    await response.body?.cancel();
    throw tooLarge(
      `the answer has ${megabytes(length)} MB, more than the limit of ${megabytes(context.longestAnswer)} MB`,
    );
  }
  using room = roomFor(context.client.account);
  await room.take(length);
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

const megabytes = (bytes: number) => Math.ceil(bytes / MiB);

const refusalOf = async (response: Response): Promise<ServiceError> =>
  (await refusalIn(response)) ??
  lost(new Error(`unknown error body, with status ${response.status}`));
