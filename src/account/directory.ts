import { orUnavailable } from '../or-unavailable.ts';
import { hashKey, isWellFormedKey } from './key.ts';

/** What KV holds of a key (storage-schema.md). */
export interface KeyRecord {
  account: string;
  id: string;
}

/** Of a Worker that is bound to the service and has no key: its binding is made by who deploys both. */
const binding = 'binding:';

export const bindingRecord = (account: string): KeyRecord => ({ account, id: binding + account });

/** Whether this is no key's id, but a binding's. */
export const isBinding = (id: string) => id.startsWith(binding);

/**
 * Milliseconds for which an isolate remembers a key, and that there is none like it. A record never
 * changes, so the first may be long; the second is less than KV's own memory of what it lacks (60 s).
 */
const rememberForMs = 3600_000;
const rememberUnknownForMs = 10_000;
const rememberAtMost = 10_000;

const remembered = new Map<string, { record: KeyRecord; until: number }>();
/** Until when keys are remembered as unknown. Apart, so that made-up keys push no real one out. */
const rememberedUnknown = new Map<string, number>();

/** Milliseconds in which KV answers, or does not. */
const patience = 5000;

/** Finds whose key this is; undefined for one that never was or that KV knows to be revoked. Throws `unavailable`. */
export async function findKey(store: KVNamespace, key: string): Promise<KeyRecord | undefined> {
  if (!isWellFormedKey(key)) return undefined;
  const record = await orUnavailable(
    store.get<KeyRecord>(`key:${hashKey(key)}`, 'json'),
    patience,
    'keys cannot be looked up just now',
  );
  if (!record) {
    if (rememberedUnknown.size >= rememberAtMost) rememberedUnknown.clear();
    rememberedUnknown.set(key, Date.now() + rememberUnknownForMs);
    return undefined;
  }
  if (remembered.size >= rememberAtMost) remembered.clear();
  remembered.set(key, { record, until: Date.now() + rememberForMs });
  return record;
}

/** The same without a look-up, if this isolate has seen the key of late. */
export function recallKey(key: string): KeyRecord | undefined {
  const known = remembered.get(key);
  if (!known) return undefined;
  if (Date.now() < known.until) return known.record;
  remembered.delete(key);
  return undefined;
}

/** Whether a key need not be looked up: it is mistyped, or was not found a moment ago. */
export function isKnownToBeWrong(key: string): boolean {
  return Date.now() < (rememberedUnknown.get(key) ?? 0) || !isWellFormedKey(key);
}
