import { env } from 'cloudflare:workers';
import { keyHolder, type Caller } from '../../src/account/caller.ts';
import { findKey, type KeyRecord } from '../../src/account/directory.ts';

let made = 0;

/** Creates an account with a key and some credits, in the real Durable Object and KV. */
export async function newAccount(credits: number) {
  const name = `account-${made++}-${Math.random().toString(36).slice(2)}`;
  const stub = env.ACCOUNTS.getByName(name);
  const { key, id } = (await stub.createKey(name, 'test'))!;
  if (credits > 0) await stub.grant(name, credits);
  const record = (await findKey(env.KEYS, key)) as KeyRecord;
  return { name, key, id, stub, record };
}

/** Returns the caller of an account's key, and the work that it passed to `waitUntil`. */
export function callerOf(account: Awaited<ReturnType<typeof newAccount>>): {
  caller: Caller;
  background: Promise<unknown>[];
} {
  const background: Promise<unknown>[] = [];
  const caller = keyHolder(
    account.record,
    () => account.stub,
    (work) => void background.push(work),
  );
  return { caller, background };
}
