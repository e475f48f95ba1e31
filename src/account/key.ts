import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { customAlphabet } from 'nanoid';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'sk_svc_';
const randomPart = customAlphabet(base62, 32);
const shape = /^sk_svc_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/**
 * Creates an API key: `sk_svc_`, 32 random base62 characters (190 bits) and their checksum.
 * The key is shown once and never stored; only its hash ({@link hashKey}) is.
 */
export function createKey(): string {
  const random = randomPart();
  return prefix + random + checksum(random);
}

/** Whether a string has the form and the checksum of a key. Finds mistyped keys without a KV read. */
export function isWellFormedKey(key: string): boolean {
  const [, random, check] = shape.exec(key) ?? [];
  return random !== undefined && checksum(random) === check;
}

/** Returns the SHA-256 of a key in lower-case hex, under which KV stores the key's record. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Returns the first characters of a key, which the dashboard shows to tell keys apart. */
export function keyHint(key: string): string {
  return `${key.slice(0, prefix.length + 4)}…`;
}

/** CRC-32 as six base62 digits, most significant first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
