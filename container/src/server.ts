import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { accountHeader, answerName } from '../../src/shared/conversion.ts';
import { ServiceError } from '../../src/errors.ts';
import { bodySize, readBody } from '../../src/shared/body.ts';
import { ignoredHeaders, type IgnoredFields } from '../../src/shared/ignored-fields.ts';
import { parseInput } from '../../src/shared/input.ts';
import { refusal } from '../../src/shared/refusal.ts';
import { packTar } from '../../src/shared/tar.ts';
import { convertDocument } from '../../src/tools/convert-document/index.ts';
import { optimizeImageTool } from '../../src/tools/optimize-image/index.ts';
import { MiB } from '../../src/tools/tool.ts';
import type { BodyKind } from '../../src/tools/unread-body.ts';
import { convertWith, type Finished } from './convert.ts';
import type { Engines } from './engines.ts';
import type { Client } from './pool.ts';
import { formatOf } from './source.ts';

interface ServerEnv {
  Bindings: HttpBindings;
  Variables: { ignored?: IgnoredFields };
}

/** Bytes of request bodies held in memory at one time. */
const maxHeldBytes = 512 * MiB;

/**
 * Creates the converter's HTTP server. `POST /convert` takes the input of `convert-document` as a form or
 * JSON, and answers with a tar: first JSON, then the files. `POST /optimize` takes a picture, with the options
 * of `optimize-image` in the query, and answers with a picture. Errors have the JSON of the service's API.
 *
 * @param secret the bearer token of callers; without a secret every request is served
 */
export function createServer(engines: Engines, secret: string | undefined) {
  const app = new Hono<ServerEnv>();
  let held = 0;

  app.get('/health', (c) => c.json({ status: 'ok' }));
  if (secret) app.use('*', bearerAuth({ token: secret }));
  app.post('/convert', async (c) => {
    const request = c.req.raw;
    const client = clientOf(request);
    const size = bodySize(request, convertDocument);
    if (held + size > maxHeldBytes) {
      throw new ServiceError('unavailable', 'too many large documents at once; try again soon', {
        retryAfter: 5,
      });
    }
    held += size;
    const ignored: IgnoredFields = new Map();
    c.set('ignored', ignored);
    try {
      const input = parseInput(convertDocument, await bodyOf(request, ignored), { ignored });
      return packed(await convertWith(engines, input, client), ignoredHeaders(ignored));
    } finally {
      held -= size;
    }
  });

  app.post('/optimize', async (c) => {
    const client = clientOf(c.req.raw);
    const order = pictureOrder.parse(JSON.parse(c.req.query('order')!));
    const picture = new Uint8Array(await c.req.arrayBuffer());
    const { bytes, format, width, height } = await engines.optimise(picture, order, client);
    return c.body(new Uint8Array(bytes), 200, {
      'Content-Type': `image/${format}`,
      'X-Width': String(width),
      'X-Height': String(height),
    });
  });

  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (!(error instanceof ServiceError)) {
      // Errors after the caller has left are a consequence of its leaving and are not logged.
      if (!c.req.raw.signal.aborted) console.error(error);
      return c.json({ code: 'internal_error', message: 'the converter failed' }, 500);
    }
    const { status, retryAfter } = error;
    const headers = {
      ...ignoredHeaders(c.get('ignored')),
      ...(retryAfter && { 'Retry-After': String(retryAfter) }),
    };
    if (status === 413 || status === 503)
      return refuseUnreadBody(c, refusal(error), status, headers);
    return c.json(refusal(error), status as ContentfulStatusCode, headers);
  });
  return app;
}

/** Reads the client of a request. Must run first, because the signal does not report an earlier abort. */
const clientOf = ({ headers, signal }: Request): Client => ({
  account: headers.get(accountHeader) ?? '',
  signal,
});

const pictureOrder = optimizeImageTool.input.pick({
  output_format: true,
  quality: true,
  max_width: true,
  strip_metadata: true,
});

/**
 * Answers a request whose body may still be arriving. The connection is closed, but only after a second:
 * closing it while the client sends would reset it, and the client could not read the answer.
 */
function refuseUnreadBody(
  c: Context<ServerEnv>,
  error: object,
  status: number,
  headers: Record<string, string>,
): Response {
  const json = new TextEncoder().encode(JSON.stringify(error));
  const body = new ReadableStream({
    async start(controller) {
      c.env.incoming.resume();
      controller.enqueue(json);
      await sleep(1000);
      controller.close();
    },
  });
  const length = String(json.length);
  return new Response(body, {
    status,
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': length,
      Connection: 'close',
    },
  });
}

/** Reads the body. For a form without `from`, the format is detected from the file. */
async function bodyOf(request: Request, ignored: IgnoredFields): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  const kind: BodyKind = type.startsWith('multipart/') ? 'form' : 'json';
  const body = (await readBody(request, convertDocument, kind, { ignored })) as Record<
    string,
    unknown
  >;
  if (kind === 'json' || body.from !== undefined) return body;
  return { ...body, from: await formatOf(body.content as Uint8Array, body.filename as string) };
}

function packed({ answer, files }: Finished, headers: Record<string, string>): Response {
  const json = { name: answerName, bytes: new TextEncoder().encode(JSON.stringify(answer)) };
  const entries = files.map((bytes, i) => ({ name: `files/${i + 1}`, bytes }));
  return new Response(packTar([json, ...entries]), {
    headers: { ...headers, 'Content-Type': 'application/x-tar' },
  });
}
