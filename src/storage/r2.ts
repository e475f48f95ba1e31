import { nanoid } from 'nanoid';
import { ServiceError } from '../errors.ts';
import { orUnavailable } from '../external-call.ts';
import { expiryOf, objectKey, signedPath } from './link.ts';
import type { Storage, StoredFile } from './storage.ts';

export interface Settings {
  /** Scheme and host of the links. */
  origin: string;
  /** Key that signs the links; undefined if LINK_SECRET is not set. */
  secret: string | undefined;
  /** Life of a link in seconds. */
  life: number;
}

/** Milliseconds after which storing a file counts as failed; enough for the largest result. */
const putTimeoutMs = 30_000;

/** Returns a storage that keeps files in an R2 bucket. */
export function r2Storage(bucket: R2Bucket, { origin, secret, life }: Settings): Storage {
  return {
    async put(file) {
      const { name, type } = file;
      if (!secret) {
        const message = 'links cannot be signed: LINK_SECRET is not set; nothing was charged';
        throw new ServiceError('unavailable', message);
      }
      const expires = Math.floor(Date.now() / 1000) + life;
      const key = objectKey(expires, nanoid(), name);
      const put = bucket.put(key, contentOf(file), { httpMetadata: { contentType: type } });
      await orUnavailable(put, putTimeoutMs, 'storage is unavailable, and nothing was charged');
      return {
        url: origin + (await signedPath(key, secret)),
        expires_at: new Date(expires * 1000).toISOString(),
      };
    },
  };
}

/** R2 accepts a stream only if its length is known. */
const contentOf = (file: StoredFile) =>
  'size' in file ? file.body.pipeThrough(new FixedLengthStream(file.size)) : file.body;

/** Removes expired files. Returns their number. @param now Unix milliseconds */
export async function removeExpired(bucket: R2Bucket, now = Date.now()): Promise<number> {
  for (let removed = 0; ;) {
    // Keys begin with their expiry, so the oldest come first and no cursor is needed.
    const { objects } = await bucket.list({ limit: 1000 });
    const expired = objects.map(({ key }) => key).filter((key) => expiryOf(key) * 1000 <= now);
    if (expired.length > 0) await bucket.delete(expired);
    removed += expired.length;
    if (expired.length < 1000) return removed;
  }
}
