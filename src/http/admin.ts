import { zValidator } from '@hono/zod-validator';
import { bearerAuth } from 'hono/bearer-auth';
import { Hono } from 'hono';
import { z } from 'zod';
import { accountName, issueKey, keyName } from '../account/issue.ts';
import { registryOf } from '../account/registry.ts';
import { ServiceError } from '../errors.ts';
import type { AppContext, Variables } from './answer.ts';
import { originOf } from '../origin.ts';
import { isOperatorSecret } from './operator.ts';
import { smallBody } from './small-body.ts';

/** Routes for operators: create, list and revoke keys, grant credits, create sign-in links, end sessions. */
export const admin = new Hono<{ Bindings: Env; Variables: Variables }>();

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
    verifyToken: (secret, c: AppContext) => isOperatorSecret(secret, c),
    noAuthenticationHeader: refusal,
    invalidAuthenticationHeader: refusal,
    invalidToken: refusal,
  }),
  smallBody,
);

admin
  .get('/accounts/:account', account, async (c) =>
    c.json(await c.env.ACCOUNTS.getByName(c.req.param('account')).describe()),
  )
  .post('/accounts/:account/keys', account, json(z.object({ name: keyName })), async (c) =>
    c.json(await issueKey(c.env, c.req.param('account'), c.req.valid('json').name)),
  )
  .delete('/accounts/:account/keys/:id', account, async (c) => {
    const { account: name, id } = c.req.param();
    const revoked = await c.env.ACCOUNTS.getByName(name).revokeKey(id);
    if (!revoked) throw new ServiceError('not_found', `account ${name} has no key ${id}`);
    return c.json({ revoked: id });
  })
  .delete('/accounts/:account/sessions', account, async (c) =>
    c.json({ ended: await registryOf(c.env).endSessions(c.req.param('account')) }),
  )
  .post(
    '/accounts/:account/credits',
    account,
    json(z.object({ credits: z.int().positive().max(1e12) })),
    async (c) => {
      const name = c.req.param('account');
      const { credits } = c.req.valid('json');
      return c.json({ credits: await c.env.ACCOUNTS.getByName(name).grant(name, credits) });
    },
  )
  .post(
    '/accounts/:account/sign-in-links',
    account,
    json(z.object({ operator: z.boolean().default(false) })),
    async (c) => {
      const name = c.req.param('account');
      await c.env.ACCOUNTS.getByName(name).open(name);
      const { operator } = c.req.valid('json');
      const token = await registryOf(c.env).createLink({ account: name, operator });
      const origin = originOf(c.env, c.req.url);
      return c.json({ url: `${origin}/dashboard/sign-in?token=${token}` });
    },
  );
