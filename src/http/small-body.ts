import { createMiddleware } from 'hono/factory';
import { MiB } from '../tools/tool.ts';
import { discardBody, readBytes } from '../shared/body.ts';

/** Bytes of a form of the dashboard, and of what an operator sends. */
const smallBodyBytes = MiB / 16;

/** Reads a body by the limits of all bodies, since Hono's validators know none. Throws 413 and 408. */
export const smallBody = createMiddleware(async (c, next) => {
  const { raw } = c.req;
  if (raw.body) {
    const body = await readBytes(raw, smallBodyBytes).catch(async (error: unknown) => {
      await discardBody(raw);
      throw error;
    });
    // As Hono's own body-limit does it.
    c.req.raw = new Request(raw.url, { method: raw.method, headers: raw.headers, body });
  }
  await next();
});
