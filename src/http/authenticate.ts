import { anonymous, keyHolder, type Caller } from '../account/caller.ts';
import { findKey, isKnownToBeWrong, recallKey, type KeyRecord } from '../account/directory.ts';
import { countCall, overLimit, takeTurn, uncountCall } from '../account/rate.ts';
import { ServiceError } from '../errors.ts';
import { addressOf } from './address.ts';
import type { AppContext } from './answer.ts';

/** Finds out who calls (401) and counts the call (429). */
export async function authenticate(c: AppContext): Promise<Caller> {
  const header = c.req.raw.headers.get('authorization');
  if (header === null) throw new ServiceError('missing_api_key', 'missing api key');
  const key = await keyIn(header, c);
  if (!key) throw new ServiceError('invalid_api_key', 'invalid api key');
  return admit(holder(key, c), key, c);
}

/** For a free tool: a key that holds lifts the limit per address; no key, or a wrong one, does no harm. */
export async function authenticateIfKeyed(c: AppContext): Promise<Caller> {
  const header = c.req.raw.headers.get('authorization');
  const key = header === null ? undefined : await keyIn(header, c);
  if (key) {
    const caller = holder(key, c);
    if (await holds(caller)) return admit(caller, key, c);
  }
  limit(c, addressOf(c), c.env.FREE_RATE_LIMIT);
  return anonymous;
}

/** A free call charges nothing, and so would not hear from the account that its key was revoked. */
const holds = (caller: Caller): Promise<boolean> =>
  caller.verify().then(
    () => true,
    () => false,
  );

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
async function keyIn(header: string, c: AppContext): Promise<KeyRecord | undefined> {
  const [scheme, key] = header.split(' ', 2);
  if (scheme?.toLowerCase() !== 'bearer' || key === undefined) return undefined;
  return recallKey(key) ?? (isKnownToBeWrong(key) ? undefined : lookUp(key, c));
}

/** Unknown keys of one address in a minute that are looked up at once. */
const unknownKeysPerMinute = 600;
/** Milliseconds between two look-ups for an address that sent more, and for which one may wait. */
const lookUpIntervalMs = 20;
const longestLookUpDelayMs = 10_000;

/**
 * Looks up a key that this isolate does not know. Look-ups cost money, and whether a key is made up is
 * known only after its own. So too many unknown keys of an address do not shut out others behind the same
 * address: they slow down each first call with a key. Throws 429 when 500 look-ups wait already.
 */
async function lookUp(key: string, c: AppContext): Promise<KeyRecord | undefined> {
  const address = addressOf(c);
  const unknown = `unknown keys of ${address}`;
  const { allowed } = countCall(unknown, unknownKeysPerMinute);
  if (!allowed) await slowDown(address);
  const record = await findKey(c.env.KEYS, key);
  if (record) uncountCall(unknown);
  return record;
}

async function slowDown(address: string): Promise<void> {
  const delayMs = takeTurn(`look-ups of ${address}`, lookUpIntervalMs, longestLookUpDelayMs);
  if (delayMs !== undefined) return scheduler.wait(delayMs);
  const message = 'too many unknown API keys from your address; try again in a few seconds';
  throw new ServiceError('rate_limited', message, { retryAfter: 5 });
}

function holder(key: KeyRecord, c: AppContext): Caller {
  return keyHolder(
    key,
    () => c.env.ACCOUNTS.getByName(key.account),
    (work) => c.executionCtx.waitUntil(work),
  );
}

function admit(caller: Caller, key: KeyRecord, c: AppContext): Caller {
  c.set('caller', caller);
  limit(c, key.id, c.env.RATE_LIMIT);
  return caller;
}

function limit(c: AppContext, id: string, callsPerMinute: string) {
  const allowance = countCall(id, Number(callsPerMinute));
  c.set('allowance', allowance);
  if (allowance.allowed) return;
  throw overLimit(allowance);
}
