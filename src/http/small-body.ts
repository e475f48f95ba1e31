import { createMiddleware } from 'hono/factory';
import { MiB } from '../tools/tool.ts';
import { discardBody, readBytes } from '../shared/body-stream.ts';

/** Largest body in bytes of the dashboard's forms and of the admin endpoints. */
const smallBodyBytes = MiB / 16;

/** Reads a body within limits of size and time, because Hono's validators have none. Throws 413 and 408. */
export const smallBody = createMiddleware(async (c, next) => {
  const { raw } = c.req;
  if (raw.body) {
    const body = await readBytes(raw, smallBodyBytes).catch(async (error: unknown) => {
      await discardBody(raw);
      throw error;
    });
    // The request gets the body again, in the way of Hono's body-limit middleware.
    c.req.raw = new Request(raw.url, { method: raw.method, headers: raw.headers, body });
  }
  await next();
});
