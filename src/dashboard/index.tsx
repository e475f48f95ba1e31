import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { requestId } from 'hono/request-id';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { accountName, issueKey, keyName } from '../account/issue.ts';
import { registryOf } from '../account/registry.ts';
import { asServiceError, ServiceError } from '../errors.ts';
import { delayWrongGuess, isOperatorSecret } from '../http/operator.ts';
import { smallBody } from '../http/small-body.ts';
import { originOf } from '../origin.ts';
import { pageHeaders } from '../page/page.tsx';
import styles from './dashboard.css';
import script from './dashboard.client.js';
import { pathOf } from './frame.tsx';
import * as pages from './pages.tsx';
import {
  sessionOf,
  signIn,
  signOut,
  type DashboardContext,
  type DashboardEnv,
  type Session,
} from './session.ts';

/**
 * The dashboard: people see their balance and usage, and create and revoke keys. It works without JavaScript.
 */
export const dashboard = new Hono<DashboardEnv>();

/** Accounts on one page of the list. Each of them is queried for its balance. */
const accountsPerPage = 25;

/**
 * Accepts forms from the request's own origin and from SERVICE_URL, which differs behind a proxy with HTTPS.
 */
const fromHere = csrf({
  origin: (origin, c: DashboardContext) =>
    origin === new URL(c.req.url).origin || origin === originOf(c.env, c.req.url),
});

/** Refuses media types that HTML forms cannot send, because `csrf` checks only those of forms. */
const formsOnly = createMiddleware(async ({ req }, next) => {
  const type = req.header('content-type')?.split(';', 1)[0]!.trim().toLowerCase() ?? '';
  if (
    req.method === 'POST' &&
    !/^(?:application\/x-www-form-urlencoded|multipart\/form-data)$/.test(type)
  ) {
    throw new ServiceError(
      'unsupported_media_type',
      'send the form as application/x-www-form-urlencoded',
    );
  }
  await next();
});

dashboard.use(requestId(), pageHeaders, formsOnly, fromHere, smallBody, async (c, next) => {
  await next();
  c.header('Cache-Control', 'no-store');
});

dashboard.get('/dashboard.css', (c) => c.body(styles, 200, { 'Content-Type': 'text/css' }));
dashboard.get('/dashboard.js', (c) => c.body(script, 200, { 'Content-Type': 'text/javascript' }));

dashboard.get('/sign-in', (c) => {
  const token = c.req.query('token');
  // A GET must not use up the link, because link previews of chat programs open it too.
  if (token !== undefined) return c.html(pages.linkPage(token));
  return c.html(pages.signInPage(Boolean(c.env.ADMIN_SECRET)));
});

dashboard.post('/sign-in/link', form(z.object({ token: z.string() })), async (c) => {
  const identity = await registryOf(c.env).useLink(c.req.valid('form').token);
  if (!identity) {
    await delayWrongGuess(c);
    const problem = 'This link was used already or is older than a day. Ask for a new link.';
    return c.html(pages.signInPage(Boolean(c.env.ADMIN_SECRET), problem), 403);
  }
  await signIn(c, identity);
  return c.redirect('/dashboard', 303);
});

dashboard.post(
  '/sign-in',
  form(z.object({ account: accountName, secret: z.string() })),
  async (c) => {
    const { account, secret } = c.req.valid('form');
    if (!(await isOperatorSecret(secret, c))) {
      return c.html(pages.signInPage(true, 'That is not the secret.'), 403);
    }
    await signIn(c, { account, operator: true });
    return c.redirect('/dashboard', 303);
  },
);

dashboard.post('/sign-out', async (c) => {
  await signOut(c);
  return c.redirect('/dashboard/sign-in', 303);
});

// All routes below require a session.
dashboard.use(async (c, next) => {
  const session = await sessionOf(c);
  if (!session) return c.redirect('/dashboard/sign-in', 303);
  c.set('session', session);
  return next();
});

dashboard.get('/', (c) => c.redirect(pathOf(c.get('session').account), 303));

dashboard.get('/accounts', async (c) => {
  mustOperate(c.get('session'));
  const { search = '', after = '' } = c.req.query();
  const names = await registryOf(c.env).accounts({ search, after, limit: accountsPerPage });
  const listed = await Promise.all(
    names.map(async (name) => ({
      name,
      credits: (await c.env.ACCOUNTS.getByName(name).balance()) ?? 0,
    })),
  );
  const next = names.length === accountsPerPage ? names.at(-1) : undefined;
  return c.html(pages.accountsPage(c.get('session'), listed, { search, next }));
});

// People see their own account only. Operators see all accounts.
dashboard.use('/accounts/:account/*', async (c, next) => {
  const account = c.req.param('account');
  const session = c.get('session');
  if (session.account !== account) mustOperate(session);
  return next();
});

dashboard.get('/accounts/:account', async (c) => {
  const account = c.req.param('account');
  const stub = c.env.ACCOUNTS.getByName(account);
  const days = lastDays(Date.now());
  let described = await stub.describe(days[0]);
  if (described.created_at === null) {
    if (c.get('session').account !== account)
      throw new ServiceError('not_found', `there is no account ${account}`);
    await stub.open(account);
    described = await stub.describe(days[0]);
  }
  return c.html(pages.accountPage({ session: c.get('session'), account }, described, days));
});

dashboard.post('/accounts/:account/keys', form(z.object({ name: keyName })), async (c) => {
  const account = c.req.param('account');
  const { name } = c.req.valid('form');
  const key = await issueKey(c.env, account, name);
  const origin = originOf(c.env, c.req.url);
  return c.html(pages.newKeyPage({ session: c.get('session'), account }, name, key, origin));
});

dashboard.get('/accounts/:account/keys/:id/revoke', async (c) => {
  const { account, id } = c.req.param();
  const { keys } = await c.env.ACCOUNTS.getByName(account).describe();
  const key = keys.find((each) => each.id === id);
  if (!key) throw noKey(id);
  return c.html(pages.revokePage({ session: c.get('session'), account }, key));
});

dashboard.post('/accounts/:account/keys/:id/revoke', async (c) => {
  const { account, id } = c.req.param();
  if (!(await c.env.ACCOUNTS.getByName(account).revokeKey(id))) throw noKey(id);
  return c.redirect(pathOf(account), 303);
});

dashboard.post(
  '/accounts/:account/credits',
  form(z.object({ credits: z.coerce.number().int().positive().max(1e12) })),
  async (c) => {
    const session = c.get('session');
    mustOperate(session);
    const account = c.req.param('account');
    await c.env.ACCOUNTS.getByName(account).grant(
      account,
      c.req.valid('form').credits,
      session.account,
    );
    return c.redirect(pathOf(account), 303);
  },
);

dashboard.all('*', (c) => {
  throw new ServiceError('not_found', `there is no page ${c.req.path}`);
});

dashboard.onError((error, c) => {
  // Thrown by Hono's `csrf` for a form of another origin.
  if (error instanceof HTTPException && error.status === 403) {
    return c.html(pages.problemPage('That form did not come from this dashboard.'), 403);
  }
  const { message, status, retryAfter } = asServiceError(error, c.get('requestId'));
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter));
  return c.html(pages.problemPage(message), status as ContentfulStatusCode);
});

const noKey = (id: string) => new ServiceError('not_found', `there is no key ${id}`);

function mustOperate({ operator }: Session) {
  if (!operator) throw new ServiceError('forbidden', 'only operators may do this');
}

function form<T extends z.ZodType>(schema: T) {
  return zValidator('form', schema, (result) => {
    if (!result.success) throw new ServiceError('invalid_input', z.prettifyError(result.error));
  });
}

/** Returns the days of the chart as `YYYY-MM-DD` in UTC; the last one is today. */
function lastDays(now: number): string[] {
  return Array.from({ length: pages.chartDays }, (_, i) =>
    new Date(now - (pages.chartDays - 1 - i) * 86_400_000).toISOString().slice(0, 10),
  );
}
