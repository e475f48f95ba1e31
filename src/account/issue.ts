import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { mostKeys, type NewKey } from './account.ts';

/** How an account may be called; an email address of the usual kind can be one. */
export const accountName = z
  .string()
  .regex(/^[\w.@+'-]{1,100}$/, "letters, digits and . _ @ + - ', at most 100");

export const keyName = z.string().trim().min(1).max(100);

/** Makes a key for an account, which comes into being with it. */
export async function issueKey(env: Env, account: string, name: string): Promise<NewKey> {
  const made = await env.ACCOUNTS.getByName(account).createKey(account, name);
  if (made) return made;
  const message = `an account has at most ${mostKeys} keys; revoke one that is not used`;
  throw new ServiceError('conflict', message);
}
