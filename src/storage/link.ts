/** The result of checking a signed link. The link contains the object's key and an HMAC of the key. */
export type Verdict = 'good' | 'expired' | 'forged';

/**
 * Returns the R2 key of a file: its expiry (Unix seconds), a random id, and its name. Keys sort by expiry,
 * so a listing returns expired objects first.
 */
export function objectKey(expires: number, id: string, name: string): string {
  return `${String(expires).padStart(12, '0')}/${id}/${name}`;
}

/** Returns the expiry of an object in Unix seconds; NaN for a key of another form. */
export const expiryOf = (key: string): number => Number(/^(\d{12})\//.exec(key)?.[1] ?? NaN);

/** Returns the path of a signed link. The signature is the HMAC-SHA-256 (RFC 2104) of the key. */
export async function signedPath(key: string, secret: string): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await hmac(secret), bytes(key));
  const path = key.split('/').map(encodeURIComponent).join('/');
  return `/files/${path}?signature=${base64Url(new Uint8Array(signature))}`;
}

/** Checks the signature and the expiry of a link. @param now Unix milliseconds */
export async function judge(
  key: string,
  signature: string,
  secret: string,
  now = Date.now(),
): Promise<Verdict> {
  const given = fromBase64Url(signature);
  // `verify` compares in constant time.
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
