import { anonymous, keyHolder, type Caller } from '../account/caller.ts';
import { findKey, recallKey, type KeyRecord } from '../account/directory.ts';
import { countCall, overLimit, requireCall, uncountCall } from '../account/rate.ts';
import { ServiceError } from '../errors.ts';
import { addressOf } from './address.ts';
import type { AppContext } from './answer.ts';

/** Finds out who calls (401) and counts the call (429). */
export async function authenticate(c: AppContext): Promise<Caller> {
  const header = c.req.raw.headers.get('authorization');
  if (header === null) throw new ServiceError('missing_api_key', 'missing api key');
  const key = await keyIn(header, c);
  if (!key) throw new ServiceError('invalid_api_key', 'invalid api key');
  return holder(key, c);
}

/** For a free tool: a key lifts the limit per address, and no key, or a wrong one, does no harm. */
export async function authenticateIfKeyed(c: AppContext): Promise<Caller> {
  const header = c.req.raw.headers.get('authorization');
  const key = header === null ? undefined : await keyIn(header, c);
  if (key) return holder(key, c);
  limit(c, addressOf(c), c.env.FREE_RATE_LIMIT);
  return anonymous;
}

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
async function keyIn(header: string, c: AppContext): Promise<KeyRecord | undefined> {
  const [scheme, key] = header.split(' ', 2);
  if (scheme?.toLowerCase() !== 'bearer' || key === undefined) return undefined;
  return recallKey(key) ?? (await search(key, c));
}

/** Keys that one address may try in a minute before no unknown one of it is looked up. */
const guessesAllowed = 600;

async function search(key: string, c: AppContext): Promise<KeyRecord | undefined> {
  const guesses = `wrong keys of ${addressOf(c)}`;
  requireCall(guesses, guessesAllowed);
  const record = await findKey(c.env.KEYS, key);
  if (record) uncountCall(guesses);
  return record;
}

function holder(key: KeyRecord, c: AppContext): Caller {
  const caller = keyHolder(
    key,
    () => c.env.ACCOUNTS.getByName(key.account),
    (work) => c.executionCtx.waitUntil(work),
  );
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
