import { Hono } from 'hono';

/** The baseline: a service that only parses a JSON body and answers JSON of the same size as the hash tool. */
const app = new Hono();

app.post('/api/hash', async (c) => {
  const { input } = await c.req.json<{ input: string }>();
  return c.json({
    hash: 'x'.repeat(64),
    algorithm: 'sha256',
    encoding: input.length > 0 ? 'hex' : '',
  });
});

export default app;
