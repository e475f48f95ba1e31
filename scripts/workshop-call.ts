import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../src/errors.ts';
import { refusal } from '../src/shared/refusal.ts';
import { jobHeaders } from '../src/workshop/protocol.ts';

/** A call that waits for a workshop process or runs in one. */
export interface Call {
  tool: string;
  requestId: string;
  account: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  response: ServerResponse;
  timeLimitMs: number;
  computingLimitMs: number;
  /** The process that ran the call has ended, maybe because of the call. */
  wasLost: boolean;
  /** Timer that refuses the call when it has waited too long for a process. */
  waiting?: NodeJS.Timeout;
  /** Aborts the request to the process. */
  abort?: () => void;
}

/** Creates a call from a request. Its body is not read yet. */
export function callOf(request: IncomingMessage, response: ServerResponse): Call {
  const { headers, url: path = '/' } = request;
  const header = (name: string) => String(headers[name.toLowerCase()] ?? '');
  return {
    tool: path.split('/')[1]!,
    requestId: header(jobHeaders.requestId),
    account: header(jobHeaders.account),
    path,
    headers,
    body: Buffer.alloc(0),
    response,
    timeLimitMs: Number(header(jobHeaders.timeLimitMs)),
    computingLimitMs: Number(header(jobHeaders.computingLimitMs)),
    wasLost: false,
  };
}

/** Answers a call with an error, unless the answer has started or the client has left. */
export function refuse(response: ServerResponse, error: ServiceError) {
  if (response.headersSent || response.destroyed) return;
  const headers = { 'Content-Type': 'application/json', [jobHeaders.answered]: 'true' };
  response.writeHead(error.status, headers).end(JSON.stringify(refusal(error)));
}

/** Returns the 503 for a call that the service has no capacity for. */
export const busy = (why: string) =>
  new ServiceError('unavailable', `${why}; nothing was charged, try again soon`, { retryAfter: 2 });
