import { orUnavailable } from '../external-call.ts';
import { hashKey, isWellFormedKey } from './key.ts';

/** The KV record of a key (storage-schema.md). */
export interface KeyRecord {
  account: string;
  id: string;
}

/**
 * Prefix of the id of a Worker that calls by a service binding without a key. The id needs no secret: the
 * operator of both Workers has created the binding.
 */
const bindingPrefix = 'binding:';

/** Returns the record under which the calls of a service binding are charged. */
export const bindingRecord = (account: string): KeyRecord => ({
  account,
  id: bindingPrefix + account,
});

/** Whether an id is that of a service binding and not of a key. */
export const isBinding = (id: string) => id.startsWith(bindingPrefix);

/** Milliseconds for which an isolate caches a key's record. A record never changes, so the time may be long. */
const cacheForMs = 3600_000;
/** Milliseconds for which an isolate caches that a key is unknown; less than KV caches a missing key (60 s). */
const cacheUnknownForMs = 10_000;
/** Entries after which each of the two caches is emptied. */
const maxCachedKeys = 10_000;

const cached = new Map<string, { record: KeyRecord; until: number }>();
/**
 * When each unknown key may be looked up again. A separate cache, so that random keys never evict valid ones.
 */
const cachedUnknown = new Map<string, number>();

/** Milliseconds after which a KV read counts as failed. */
const keyLookupTimeoutMs = 5000;

/**
 * Looks up a key in KV. Returns undefined for a malformed, unknown or revoked key. Throws `unavailable`
 * when KV fails or times out.
 */
export async function findKey(store: KVNamespace, key: string): Promise<KeyRecord | undefined> {
  if (!isWellFormedKey(key)) return undefined;
  const record = await orUnavailable(
    store.get<KeyRecord>(`key:${hashKey(key)}`, 'json'),
    keyLookupTimeoutMs,
    'API keys cannot be looked up at the moment',
  );
  if (!record) {
    if (cachedUnknown.size >= maxCachedKeys) cachedUnknown.clear();
    cachedUnknown.set(key, Date.now() + cacheUnknownForMs);
    return undefined;
  }
  if (cached.size >= maxCachedKeys) cached.clear();
  cached.set(key, { record, until: Date.now() + cacheForMs });
  return record;
}

/** Returns a key's record from the isolate's cache; undefined on a cache miss. */
export function recallKey(key: string): KeyRecord | undefined {
  const entry = cached.get(key);
  if (!entry) return undefined;
  if (Date.now() < entry.until) return entry.record;
  cached.delete(key);
  return undefined;
}

/** Whether a key is invalid without a look-up: it is malformed, or cached as unknown. */
export function isKnownToBeWrong(key: string): boolean {
  return Date.now() < (cachedUnknown.get(key) ?? 0) || !isWellFormedKey(key);
}
