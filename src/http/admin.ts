import { zValidator } from '@hono/zod-validator';
import { timingSafeEqual } from 'hono/utils/buffer';
import { bearerAuth } from 'hono/bearer-auth';
import { Hono } from 'hono';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { AppContext, Variables } from './answer.ts';

/** What an operator may do: make, list and revoke keys, and grant credits. */
export const admin = new Hono<{ Bindings: Env; Variables: Variables }>();

const accountName = z
  .string()
  .regex(/^[\w.@+-]{1,100}$/, 'letters, digits and . _ @ + -, at most 100');

const json = <T extends z.ZodType>(schema: T) =>
  zValidator('json', schema, (result) => {
    if (!result.success) throw new ServiceError('invalid_input', z.prettifyError(result.error));
  });

const account = zValidator('param', z.object({ account: accountName }), (result) => {
  if (!result.success) throw new ServiceError('invalid_input', z.prettifyError(result.error));
});

const refusal = { message: { message: 'invalid operator secret' } };

admin.use(
  bearerAuth({
    // Without a secret nothing is right.
    verifyToken: (token, c: AppContext) => timingSafeEqual(token, c.env.ADMIN_SECRET ?? nanoid()),
    noAuthenticationHeader: refusal,
    invalidAuthenticationHeader: refusal,
    invalidToken: refusal,
  }),
);

admin
  .get('/accounts/:account', account, async (c) =>
    c.json(await c.env.ACCOUNTS.getByName(c.req.param('account')).describe()),
  )
  .post(
    '/accounts/:account/keys',
    account,
    json(z.object({ name: z.string().trim().min(1).max(100) })),
    async (c) => {
      const name = c.req.param('account');
      return c.json(await c.env.ACCOUNTS.getByName(name).createKey(name, c.req.valid('json').name));
    },
  )
  .delete('/accounts/:account/keys/:id', account, async (c) => {
    const { account: name, id } = c.req.param();
    const revoked = await c.env.ACCOUNTS.getByName(name).revokeKey(id);
    if (!revoked) throw new ServiceError('not_found', `account ${name} has no key ${id}`);
    return c.json({ revoked: id });
  })
  .post(
    '/accounts/:account/credits',
    account,
    json(z.object({ credits: z.int().positive().max(1e12) })),
    async (c) => {
      const name = c.req.param('account');
      const { credits } = c.req.valid('json');
      return c.json({ credits: await c.env.ACCOUNTS.getByName(name).grant(name, credits) });
    },
  );
