import type { Context } from 'hono';
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import { createHmac } from 'node:crypto';
import { accountName } from '../account/issue.ts';
import { registryOf, type Identity } from '../account/registry.ts';
import { ServiceError } from '../errors.ts';
import type { Variables } from '../http/answer.ts';

export interface Session extends Identity {
  /** Where one signs out; a session of Cloudflare Access is not ours to end. */
  signOut: string;
}

/** What the dashboard's requests carry. */
export interface DashboardEnv {
  Bindings: Env;
  Variables: Variables & { session: Session };
}

export type DashboardContext = Context<DashboardEnv>;

const sessionSeconds = 12 * 3600;

/**
 * Who is signed in: by Cloudflare Access, which vouches in a header for every request that it lets
 * through, or by a cookie of ours. Throws 403 for a vouching that does not hold.
 */
export async function sessionOf(c: DashboardContext): Promise<Session | undefined> {
  const vouching = c.req.header('cf-access-jwt-assertion');
  const { ACCESS_URL: url, ACCESS_AUDIENCE: audience, OPERATORS: operators } = c.env;
  if (url && audience && vouching) {
    const account = await vouchedFor(vouching, url.replace(/\/+$/, ''), audience);
    return { account, operator: isListed(account, operators), signOut: '/cdn-cgi/access/logout' };
  }
  const id = await sessionIdOf(c);
  const identity = id && (await registryOf(c.env).session(id));
  return identity ? { ...identity, signOut: '/dashboard/sign-out' } : undefined;
}

/** Lets someone in for twelve hours. */
export async function signIn(c: DashboardContext, identity: Identity): Promise<void> {
  await endSession(c);
  const id = await registryOf(c.env).createSession(identity, sessionSeconds * 1000);
  const { name, secure } = cookieOf(c);
  await setSignedCookie(c, name, id, await signingKey(c.env), {
    httpOnly: true,
    secure,
    sameSite: 'Lax',
    path: '/',
    maxAge: sessionSeconds,
  });
}

export async function signOut(c: DashboardContext): Promise<void> {
  await endSession(c);
  const { name, secure } = cookieOf(c);
  deleteCookie(c, name, { secure, path: '/' });
}

async function endSession(c: DashboardContext): Promise<void> {
  const id = await sessionIdOf(c);
  if (id) await registryOf(c.env).endSession(id);
}

/** The session that the cookie names. It is signed, so that made-up ones do not reach the registry. */
const sessionIdOf = async (c: DashboardContext): Promise<string | undefined> =>
  (await getSignedCookie(c, await signingKey(c.env), cookieOf(c).name)) || undefined;

/** Browsers send secure cookies by https alone, and some of them no other way to localhost either. */
function cookieOf(c: DashboardContext): { name: string; secure: boolean } {
  const { protocol, hostname } = new URL(c.req.url);
  const local = protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return local ? { name: 'session', secure: false } : { name: '__Host-session', secure: true };
}

/** It never changes, so each isolate asks once. */
let sessionKey: string | undefined;

/** Of the operator's secret too, so that a new one ends all sessions. */
async function signingKey(env: Env): Promise<Uint8Array> {
  sessionKey ??= await registryOf(env).sessionKey();
  return createHmac('sha256', sessionKey)
    .update(env.ADMIN_SECRET ?? '')
    .digest();
}

/** Public keys of Cloudflare Access, as this isolate got them last. */
const accessKeys = {};

/**
 * The email address that Cloudflare Access vouches for.
 * https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json/
 */
async function vouchedFor(token: string, issuer: string, audience: string): Promise<string> {
  const { createRemoteJWKSet, jwksCache, jwtVerify } = await import('jose');
  const keys = createRemoteJWKSet(new URL(`${issuer}/cdn-cgi/access/certs`), {
    [jwksCache]: accessKeys,
  });
  const { payload } = await jwtVerify<{ email?: string }>(token, keys, {
    issuer,
    audience,
    algorithms: ['RS256', 'ES256'],
    requiredClaims: ['exp'],
  }).catch((error: unknown) => {
    console.error('Cloudflare Access', error);
    throw new ServiceError('forbidden', 'Cloudflare Access did not vouch for you; sign in again');
  });
  const email = String(payload.email).toLowerCase();
  if (email.includes('@') && accountName.safeParse(email).success) return email;
  throw new ServiceError('forbidden', 'an account wants an email address of the usual letters');
}

const isListed = (email: string, list = '') =>
  list.split(',').some((each) => each.trim().toLowerCase() === email);
