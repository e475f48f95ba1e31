import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { createTarPacker } from 'modern-tar';
import { parseInput } from '../../src/call.ts';
import { accountHeader, answerName } from '../../src/converter/converter.ts';
import { ServiceError } from '../../src/errors.ts';
import { bodySize, readBody } from '../../src/http/body.ts';
import { convertDocument } from '../../src/tools/convert-document/index.ts';
import { ignoredHeaders, type IgnoredFields } from '../../src/ignored-fields.ts';
import { optimizeImageTool } from '../../src/tools/optimize-image/index.ts';
import { MiB } from '../../src/tools/tool.ts';
import type { BodyKind } from '../../src/tools/unread-body.ts';
import { convertWith, type Finished } from './convert.ts';
import type { Engines } from './engines.ts';
import type { Client } from './pool.ts';
import { formatOf } from './source.ts';

interface Bound {
  Bindings: HttpBindings;
  Variables: { ignored?: IgnoredFields };
}

/** Bytes of bodies that may be held at one time. */
const room = 512 * MiB;

/**
 * `POST /convert` takes what `convert-document` takes, a form or JSON, and answers with a tar: the
 * answer as JSON, then its files. `POST /optimize` takes a picture, and what `optimize-image` is asked
 * in the address, and answers with a picture. Errors are the service's own.
 *
 * @param secret that a caller must have; without one, everybody who reaches the server is served
 */
export function createServer(engines: Engines, secret: string | undefined) {
  const app = new Hono<Bound>();
  let held = 0;

  app.get('/health', (c) => c.json({ status: 'ok' }));
  if (secret) app.use('*', bearerAuth({ token: secret }));
  app.post('/convert', async (c) => {
    const request = c.req.raw;
    const client = clientOf(request);
    const size = bodySize(request, convertDocument);
    if (held + size > room) {
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
      // Nobody hears what is said to a caller that has gone.
      if (!c.req.raw.signal.aborted) console.error(error);
      return c.json({ code: 'internal_error', message: 'the converter failed' }, 500);
    }
    const { code, message, errors, status, retryAfter } = error;
    const headers = {
      ...ignoredHeaders(c.get('ignored')),
      ...(retryAfter && { 'Retry-After': String(retryAfter) }),
    };
    if (status === 413 || status === 503) return unread(c, { code, message }, status, headers);
    return c.json({ code, message, errors }, status as ContentfulStatusCode, headers);
  });
  return app;
}

/** Called at once: a signal hears only what happens from then on. */
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
 * An answer to a body that may still be on its way: the connection is not used again, and stays open
 * for a moment, since closing it at once would take the answer back.
 */
function unread(
  c: Context<Bound>,
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

/** A form may leave out what the file is. */
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
  const { readable, controller } = createTarPacker();
  const entries = [new TextEncoder().encode(JSON.stringify(answer)), ...files];
  void (async () => {
    for (const [i, bytes] of entries.entries()) {
      const name = i === 0 ? answerName : `files/${i}`;
      const writer = controller.add({ name, size: bytes.length, type: 'file' }).getWriter();
      await writer.write(bytes);
      await writer.close();
    }
    controller.finalize();
  })().catch((error: unknown) => controller.error(error));
  return new Response(readable, { headers: { ...headers, 'Content-Type': 'application/x-tar' } });
}
