import { anonymous, keyHolder, type Caller } from '../account/caller.ts';
import { findKey, isKnownToBeWrong, recallKey, type KeyRecord } from '../account/directory.ts';
import { countCall, overLimit, takeTurn, uncountCall } from '../account/rate.ts';
import { ServiceError } from '../errors.ts';
import { addressOf } from './address.ts';
import type { AppContext } from './answer.ts';

/** Identifies the caller by API key and counts the call. Throws 401 and 429. */
export async function authenticate(c: AppContext): Promise<Caller> {
  const header = c.req.raw.headers.get('authorization');
  if (header === null) throw new ServiceError('missing_api_key', 'missing api key');
  const key = await keyIn(header, c);
  if (!key) throw new ServiceError('invalid_api_key', 'invalid api key');
  return admit(holder(key, c), key, c);
}

/** For a free tool: a valid key lifts the limit per address. A call without a valid key counts by its address. */
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

/** Asks the account whether a key is still valid. A call that charges nothing does not learn this otherwise. */
const holds = (caller: Caller): Promise<boolean> =>
  caller.verify().then(
    () => true,
    () => false,
  );

/** Finds the key in an Authorization header (RFC 6750, 2.1). The scheme is case-insensitive (RFC 9110, 11.1). */
async function keyIn(header: string, c: AppContext): Promise<KeyRecord | undefined> {
  const [scheme, key] = header.split(' ', 2);
  if (scheme?.toLowerCase() !== 'bearer' || key === undefined) return undefined;
  return recallKey(key) ?? (isKnownToBeWrong(key) ? undefined : lookUp(key, c));
}

/** Unknown keys that one address may send in a minute before its look-ups are delayed. */
const unknownKeysPerMinute = 600;
/** Milliseconds between two delayed look-ups, and the longest delay of one. */
const lookUpIntervalMs = 20;
const longestLookUpDelayMs = 10_000;

/**
 * Looks up a key that this isolate has not cached. Each look-up costs money, and only the look-up tells whether the
 * key exists. When an address sends too many unknown keys, its further look-ups are therefore delayed and not
 * refused, so that valid keys behind the same address still work. Throws 429 when 500 look-ups are waiting.
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
