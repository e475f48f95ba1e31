import { getRandom } from '@cloudflare/containers';
import { createTarDecoder } from 'modern-tar';
import { z } from 'zod';
import type { Client } from '../context.ts';
import { clientLeft, ServiceError, statusOf, type ErrorCode } from '../errors.ts';
import { noteFromHeaders } from '../ignored-fields.ts';
import type { StoredFile } from '../storage/storage.ts';
import type { Format } from '../tools/optimize-image/job.ts';
import {
  accountHeader,
  answerName,
  answerShape,
  type Answer,
  type Conversion,
  type Converter,
  type Picture,
} from './converter.ts';

type Bindings = Pick<
  Env,
  'CONVERTERS' | 'CONVERTER_INSTANCES' | 'CONVERTER_URL' | 'CONVERTER_SECRET'
>;

/** Milliseconds for a conversion with its turn in the queue, and the slowest upload. */
const conversionTimeoutMs = 75_000;
const slowestBytesPerMs = 100;

/** The converter of `container/`: at CONVERTER_URL, or else in a container of this Worker's. */
export function httpConverter(env: Bindings, client: Client): Converter {
  return {
    async convert({ type, body, length = 0 }) {
      const timeoutMs = conversionTimeoutMs + length / slowestBytesPerMs;
      const response = await ask(env, client, '/convert', type, body, timeoutMs);
      return opened(response.body!).catch(fail);
    },
    async optimise(picture, order) {
      const path = `/optimize?order=${encodeURIComponent(JSON.stringify(order))}`;
      const type = 'application/octet-stream';
      return pictureOf(await ask(env, client, path, type, picture, conversionTimeoutMs)).catch(
        fail,
      );
    },
  };
}

/** Posts a body. Throws ServiceError, whatever goes wrong. */
async function ask(
  env: Bindings,
  { account, signal, ignored }: Client,
  path: string,
  type: string,
  body: BodyInit,
  timeoutMs: number,
): Promise<Response> {
  const request = new Request(new URL(path, env.CONVERTER_URL || 'http://converter'), {
    method: 'POST',
    headers: {
      'Content-Type': type,
      Authorization: `Bearer ${env.CONVERTER_SECRET ?? ''}`,
      [accountHeader]: encodeURIComponent(account ?? ''),
    },
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const response = await send(request, env).catch((error: unknown) => {
    throw signal.aborted ? clientLeft() : asServiceError(error);
  });
  noteFromHeaders(ignored, response.headers);
  if (!response.ok) throw asServiceError(await refusalOf(response));
  return response;
}

function fail(error: unknown): never {
  throw asServiceError(error);
}

async function send(request: Request, env: Bindings): Promise<Response> {
  if (env.CONVERTER_URL) return fetch(request);
  return (await getRandom(env.CONVERTERS, Number(env.CONVERTER_INSTANCES))).fetch(request);
}

async function pictureOf(response: Response): Promise<Picture> {
  const { headers } = response;
  return {
    bytes: await response.bytes(),
    format: headers.get('Content-Type')!.replace('image/', '') as Format,
    width: Number(headers.get('X-Width')),
    height: Number(headers.get('X-Height')),
  };
}

/** Begins to read the tar, and leaves the files in it. */
async function opened(tar: ReadableStream<Uint8Array>): Promise<Conversion> {
  const entries = tar.pipeThrough(createTarDecoder({ strict: true }))[Symbol.asyncIterator]();
  const first = await entries.next();
  if (first.done || first.value.header.name !== answerName) throw new Error('no answer in the tar');
  const json: unknown = await new Response(first.value.body).json();
  const { files, ...answer }: Answer = answerShape.parse(json);
  return {
    answer,
    files: (async function* (): AsyncGenerator<StoredFile> {
      for (const file of files) {
        const next = await entries.next().catch((error: unknown) => {
          throw asServiceError(error);
        });
        if (next.done) throw asServiceError(new Error('a file is missing in the tar'));
        yield { ...file, body: next.value.body, size: next.value.header.size };
      }
    })(),
  };
}

const refusal = z.object({
  code: z.enum(Object.keys(statusOf) as ErrorCode[]),
  message: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** What the converter says against a document, word for word; anything else is its own fault. */
async function refusalOf(response: Response): Promise<Error> {
  const { data } = refusal.safeParse(await response.json().catch(() => undefined));
  const callers = [400, 413, 422, 503].includes(response.status);
  if (!data || !callers) return new Error(`the converter answered ${response.status}`);
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
  return new ServiceError(data.code, data.message, {
    ...(data.errors && { errors: data.errors }),
    ...(retryAfter && { retryAfter }),
  });
}

function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  console.error('converter failed', error);
  return new ServiceError('unavailable', 'the converter cannot be reached; nothing was charged', {
    retryAfter: 10,
  });
}
