/** What a signed link says: the whole of an object's key, and proof that we wrote it. */
export type Verdict = 'good' | 'expired' | 'forged';

/**
 * The key under which a file is kept: when it expires (Unix seconds), something nobody can guess,
 * and its name. Sorted by time, so that what has expired comes first in a listing.
 */
export function objectKey(expires: number, id: string, name: string): string {
  return `${String(expires).padStart(12, '0')}/${id}/${name}`;
}

/** When an object expires, in Unix seconds; NaN for a key that is none of ours. */
export const expiryOf = (key: string): number => Number(/^(\d{12})\//.exec(key)?.[1] ?? NaN);

/** A path below the service's origin. The signature is HMAC-SHA-256 (RFC 2104) of the key. */
export async function signedPath(key: string, secret: string): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await hmac(secret), bytes(key));
  const path = key.split('/').map(encodeURIComponent).join('/');
  return `/files/${path}?signature=${base64Url(new Uint8Array(signature))}`;
}

/** @param now Unix milliseconds */
export async function judge(
  key: string,
  signature: string,
  secret: string,
  now = Date.now(),
): Promise<Verdict> {
  const given = fromBase64Url(signature);
  // Compares in constant time.
  const ours = given && (await crypto.subtle.verify('HMAC', await hmac(secret), given, bytes(key)));
  if (!ours) return 'forged';
  return expiryOf(key) * 1000 > now ? 'good' : 'expired';
}

const bytes = (text: string) => new TextEncoder().encode(text);

const hmac = (secret: string) =>
  crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

const base64Url = (data: Uint8Array) => data.toBase64({ alphabet: 'base64url', omitPadding: true });

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet: 'base64url' });
  } catch {
    return undefined;
  }
}
