import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { maxKeysPerAccount, type NewKey } from './account.ts';

/** The name of an account. Cloudflare Access gives email addresses, so common ones are valid names. */
export const accountName = z
  .string()
  .regex(/^[\w.@+'-]{1,100}$/, "letters, digits and . _ @ + - ', at most 100");

export const keyName = z.string().trim().min(1).max(100);

/**
 * Creates a key, and the account if it does not exist. Throws 409 when the account has the most keys allowed.
 */
export async function issueKey(env: Env, account: string, name: string): Promise<NewKey> {
  const made = await env.ACCOUNTS.getByName(account).createKey(account, name);
  if (made) return made;
  const message = `an account has at most ${maxKeysPerAccount} keys; revoke one that is not used`;
  throw new ServiceError('conflict', message);
}
