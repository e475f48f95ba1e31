import { expect, it } from 'vitest';
import { expiryOf, judge, objectKey, signedPath } from '../../src/storage/link.ts';

const secret = 'a secret';
const expires = 1_800_000_000;
const key = objectKey(expires, 'id', 'Grüße & co.png');

async function signatureOf(path: string) {
  return new URL(path, 'http://service').searchParams.get('signature')!;
}

it('is valid until it expires', async () => {
  const signature = await signatureOf(await signedPath(key, secret));
  expect(await judge(key, signature, secret, expires * 1000 - 1)).toBe('good');
  expect(await judge(key, signature, secret, expires * 1000)).toBe('expired');
});

it('is HMAC-SHA-256 of the key, as base64url', async () => {
  // printf '001800000000/id/a' | openssl dgst -sha256 -hmac 'a secret' -binary | basenc --base64url
  const path = await signedPath(objectKey(expires, 'id', 'a'), secret);
  expect(path).toBe(
    '/files/001800000000/id/a?signature=7p5boAEdUopAqZkwZoW5GVNNHcDe7snP7Puu0aOhR8M',
  );
});

it('is forged when any part of it is changed', async () => {
  const signature = await signatureOf(await signedPath(key, secret));
  const now = expires * 1000 - 1;
  const later = objectKey(expires + 1, 'id', 'Grüße & co.png');
  const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
  for (const [changedKey, changedSignature, by] of [
    [later, signature, secret],
    [objectKey(expires, 'other', 'Grüße & co.png'), signature, secret],
    [objectKey(expires, 'id', 'x.html'), signature, secret],
    [key, flipped, secret],
    [key, signature.slice(0, -4), secret],
    [key, '', secret],
    [key, '%', secret],
    [key, signature, 'another secret'],
  ] as const) {
    expect(await judge(changedKey, changedSignature, by, now)).toBe('forged');
  }
});

it('returns the expiry of a key, and NaN for other strings', () => {
  expect(expiryOf(key)).toBe(expires);
  expect(expiryOf('health')).toBeNaN();
});
