import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { operator } from './operator.ts';

const newSecret = () => randomBytes(24).toString('base64url');

/** The file in which `npm start` keeps its secrets and the key of the local account. */
const shape = z.object({
  adminSecret: z.string().default(newSecret),
  linkSecret: z.string().default(newSecret),
  key: z.object({ key: z.string(), id: z.string() }).optional(),
});
export type Local = z.infer<typeof shape>;

/** The account for which `npm start` prints a key. */
export const localAccount = 'local';
/** Credits of the local account. It is topped up when fewer than half are left. */
const localCredits = 1_000_000;

/** Reads the file, or creates one with new secrets. Only its owner can read it. */
export async function readLocal(file: string): Promise<Local> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const local = shape.parse(JSON.parse(text));
  await writeLocal(file, local);
  return local;
}

/** Returns a valid key of the local account: the key of the last run, or a new one. Tops up the credits. */
export async function localKey(file: string, local: Local, url: string): Promise<string> {
  const admin = operator(url, local.adminSecret);
  const { keys, credits } = await admin.describe(localAccount);
  if (credits < localCredits / 2) await admin.grant(localAccount, localCredits - credits);
  const known = keys.find(({ id, revoked_at }) => id === local.key?.id && revoked_at === null);
  if (known && local.key) return local.key.key;
  const key = await admin.createKey(localAccount, 'npm start');
  await writeLocal(file, { ...local, key });
  return key.key;
}

async function writeLocal(file: string, local: Local): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(local, null, 2), { mode: 0o600 });
}
