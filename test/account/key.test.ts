import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createKey, hashKey, isWellFormedKey, keyHint } from '../../src/account/key.ts';

it('creates unique keys of the documented form', () => {
  const keys = Array.from({ length: 1000 }, createKey);
  expect(new Set(keys).size).toBe(1000);
  for (const key of keys) {
    expect(key).toMatch(/^sk_svc_[0-9A-Za-z]{38}$/);
    expect(isWellFormedKey(key)).toBe(true);
  }
});

it('detects every mistyped character by the checksum', () => {
  const letter = fc.constantFrom(
    ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  );
  fc.assert(
    fc.property(fc.nat(37), letter, (place, other) => {
      const key = createKey();
      const at = 'sk_svc_'.length + place;
      fc.pre(key[at] !== other);
      expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }),
  );
});

it('refuses malformed keys', () => {
  for (const text of ['', 'sk_svc_', 'sk_live_x', `${createKey()}x`, ` ${createKey()}`]) {
    expect(isWellFormedKey(text)).toBe(false);
  }
});

it('hashes with SHA-256, and the hint has only the first characters', () => {
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(keyHint('sk_svc_abcdefgh')).toBe('sk_svc_abcd…');
});
