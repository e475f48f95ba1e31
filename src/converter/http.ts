import { getRandom } from '@cloudflare/containers';
import { createTarDecoder } from 'modern-tar';
import type { Client } from '../context.ts';
import { clientLeft, ServiceError } from '../errors.ts';
import { bodyFailure } from '../shared/body-stream.ts';
import { noteFromHeaders } from '../shared/ignored-fields.ts';
import type { PictureFormat } from '../shared/picture-formats.ts';
import {
  accountHeader,
  answerName,
  answerShape,
  type ConversionAnswer,
} from '../shared/conversion.ts';
import { refusalIn } from '../shared/refusal.ts';
import type { StoredFile } from '../storage/storage.ts';
import { watchedBody, type UnreadBody } from '../tools/unread-body.ts';
import type { Conversion, Converter, Picture } from './converter.ts';

type Bindings = Pick<
  Env,
  'CONVERTERS' | 'CONVERTER_INSTANCES' | 'CONVERTER_URL' | 'CONVERTER_SECRET'
>;

/** Milliseconds for a conversion, including its wait in the queue. */
const conversionTimeoutMs = 75_000;
/** Slowest upload that does not time out, in bytes per millisecond. */
const minUploadBytesPerMs = 100;

/** Returns the converter of `container/`: the one at CONVERTER_URL, or else a container of this Worker. */
export function httpConverter(env: Bindings, client: Client): Converter {
  return {
    async convert(body) {
      const timeoutMs = conversionTimeoutMs + (body.length ?? 0) / minUploadBytesPerMs;
      const response = await ask(env, client, '/convert', body, timeoutMs);
      return openTar(response.body!).catch(throwConverterError);
    },
    async optimise(picture, order) {
      const path = `/optimize?order=${encodeURIComponent(JSON.stringify(order))}`;
      const body = { type: 'application/octet-stream', body: picture as Uint8Array<ArrayBuffer> };
      return pictureOf(await ask(env, client, path, body, conversionTimeoutMs)).catch(
        throwConverterError,
      );
    },
  };
}

/** Posts a body to the converter. Throws only ServiceError. */
async function ask(
  env: Bindings,
  { account, signal, ignored }: Client,
  path: string,
  body: Pick<UnreadBody, 'type' | 'body' | 'length'>,
  timeoutMs: number,
): Promise<Response> {
  const watched = watchedBody(body);
  const request = new Request(new URL(path, env.CONVERTER_URL || 'http://converter'), {
    method: 'POST',
    headers: {
      'Content-Type': body.type,
      Authorization: `Bearer ${env.CONVERTER_SECRET ?? ''}`,
      [accountHeader]: encodeURIComponent(account ?? ''),
    },
    body: watched.body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const response = await send(request, env).catch((error: unknown) => {
    if (signal.aborted) throw clientLeft();
    throw watched.failure ? bodyFailure(watched.failure) : converterError(error);
  });
  // When the stream fails, the runtime ends the chunked request as if it were complete.
  if (watched.failure) throw bodyFailure(watched.failure);
  noteFromHeaders(ignored, response.headers);
  if (!response.ok) throw converterError(await refusalOf(response));
  return response;
}

function throwConverterError(error: unknown): never {
  throw converterError(error);
}

async function send(request: Request, env: Bindings): Promise<Response> {
  if (env.CONVERTER_URL) return fetch(request);
  return (await getRandom(env.CONVERTERS, Number(env.CONVERTER_INSTANCES))).fetch(request);
}

async function pictureOf(response: Response): Promise<Picture> {
  const { headers } = response;
  return {
    bytes: await response.bytes(),
    format: headers.get('Content-Type')!.replace('image/', '') as PictureFormat,
    width: Number(headers.get('X-Width')),
    height: Number(headers.get('X-Height')),
  };
}

/** Reads the JSON from the tar, and leaves the files in the stream. */
async function openTar(tar: ReadableStream<Uint8Array>): Promise<Conversion> {
  const entries = tar.pipeThrough(createTarDecoder({ strict: true }))[Symbol.asyncIterator]();
  const first = await entries.next();
  if (first.done || first.value.header.name !== answerName) throw new Error('the tar has no JSON');
  const json: unknown = await new Response(first.value.body).json();
  const { files, ...answer }: ConversionAnswer = answerShape.parse(json);
  return {
    answer,
    files: (async function* (): AsyncGenerator<StoredFile> {
      for (const file of files) {
        const next = await entries.next().catch((error: unknown) => {
          throw converterError(error);
        });
        if (next.done) throw converterError(new Error('a file is missing in the tar'));
        yield { ...file, body: next.value.body, size: next.value.header.size };
      }
    })(),
  };
}

/** Returns the converter's error if its status concerns the caller; else an error about the converter. */
async function refusalOf(response: Response): Promise<Error> {
  const refusal = await refusalIn(response);
  const concernsCaller = [400, 413, 422, 503].includes(response.status);
  return refusal && concernsCaller
    ? refusal
    : new Error(`the converter answered ${response.status}`);
}

/** Returns a ServiceError unchanged. Any other error is logged and becomes `unavailable`. */
function converterError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  console.error(`the converter failed: ${String(error)}`);
  return new ServiceError('unavailable', 'the converter cannot be reached; nothing was charged', {
    retryAfter: 10,
  });
}
