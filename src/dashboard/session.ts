import type { Context } from 'hono';
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import { createHmac } from 'node:crypto';
import { accountName } from '../account/issue.ts';
import { registryOf, type Identity } from '../account/registry.ts';
import { ServiceError } from '../errors.ts';
import type { Variables } from '../http/answer.ts';

export interface Session extends Identity {
  /** Path that signs out. Only Cloudflare Access can end its own sessions. */
  signOut: string;
}

/** Hono's environment for the dashboard. */
export interface DashboardEnv {
  Bindings: Env;
  Variables: Variables & { session: Session };
}

export type DashboardContext = Context<DashboardEnv>;

const sessionSeconds = 12 * 3600;

/**
 * Returns the session of a request: from the JWT that Cloudflare Access adds to every request, or from the
 * session cookie. Returns undefined if there is neither. Throws 403 for an invalid JWT.
 */
export async function sessionOf(c: DashboardContext): Promise<Session | undefined> {
  const token = c.req.header('cf-access-jwt-assertion');
  const { ACCESS_URL: url, ACCESS_AUDIENCE: audience, OPERATORS: operators } = c.env;
  if (url && audience && token) {
    const account = await accessEmail(token, url.replace(/\/+$/, ''), audience);
    return { account, operator: isListed(account, operators), signOut: '/cdn-cgi/access/logout' };
  }
  const id = await sessionIdOf(c);
  const identity = id && (await registryOf(c.env).session(id));
  return identity ? { ...identity, signOut: '/dashboard/sign-out' } : undefined;
}

/** Creates a session of twelve hours and sets its cookie. Ends an earlier session of the browser. */
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

/** Ends the session and deletes its cookie. */
export async function signOut(c: DashboardContext): Promise<void> {
  await endSession(c);
  const { name, secure } = cookieOf(c);
  deleteCookie(c, name, { secure, path: '/' });
}

async function endSession(c: DashboardContext): Promise<void> {
  const id = await sessionIdOf(c);
  if (id) await registryOf(c.env).endSession(id);
}

/** Returns the session id in the cookie. The cookie is signed, so forged ids cause no registry call. */
const sessionIdOf = async (c: DashboardContext): Promise<string | undefined> =>
  (await getSignedCookie(c, await signingKey(c.env), cookieOf(c).name)) || undefined;

/** Returns the cookie's name and `secure` flag. Some browsers send no secure cookies to http://localhost. */
function cookieOf(c: DashboardContext): { name: string; secure: boolean } {
  const { protocol, hostname } = new URL(c.req.url);
  const local = protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return local ? { name: 'session', secure: false } : { name: '__Host-session', secure: true };
}

/** The registry's session key. It never changes, so each isolate loads it once. */
let sessionKey: string | undefined;

/** Derives the key that signs cookies. It depends on ADMIN_SECRET, so that a new secret ends all sessions. */
async function signingKey(env: Env): Promise<Uint8Array> {
  sessionKey ??= await registryOf(env).sessionKey();
  return createHmac('sha256', sessionKey)
    .update(env.ADMIN_SECRET ?? '')
    .digest();
}

/** Cache of Cloudflare Access's public keys in this isolate. */
const accessKeys = {};

/**
 * Verifies the JWT of Cloudflare Access and returns its email address. Throws 403 when the JWT is invalid.
 * https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json/
 */
async function accessEmail(token: string, issuer: string, audience: string): Promise<string> {
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
    console.error('the JWT of Cloudflare Access is invalid', error);
    throw new ServiceError('forbidden', 'the token of Cloudflare Access is invalid; sign in again');
  });
  const email = String(payload.email).toLowerCase();
  if (email.includes('@') && accountName.safeParse(email).success) return email;
  const message = "an account's email address may have letters, digits and . _ @ + - ' only";
  throw new ServiceError('forbidden', message);
}

const isListed = (email: string, list = '') =>
  list.split(',').some((each) => each.trim().toLowerCase() === email);
