import { createHash } from 'node:crypto';
import { createBLAKE3 } from 'hash-wasm';
import { expect, it } from 'vitest';
import { hash } from '../../src/tools/hash/index.ts';
import { refusal, run } from './run.ts';

it.each([
  ['md5', 'd41d8cd98f00b204e9800998ecf8427e'],
  ['sha1', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  ['sha256', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['blake3', 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
] as const)('%s of nothing', async (algorithm, digest) => {
  expect(await run(hash, { input: '', algorithm })).toEqual({
    hash: digest,
    algorithm,
    encoding: 'hex',
  });
});

it('follows the BLAKE3 test vectors over every chunk boundary', async () => {
  // From test_vectors.json of the BLAKE3 team. The input has the bytes 0, 1, … 250, 0, 1, …
  const vectors: [number, string][] = [
    [1, '2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213'],
    [1023, '10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11'],
    [1024, '42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7'],
    [1025, 'd00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444'],
    [102400, 'bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085'],
  ];
  for (const [length, digest] of vectors) {
    const input = Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251)).toString('base64');
    const answer = await run(hash, { input, input_encoding: 'base64', algorithm: 'blake3' });
    expect([length, answer.hash]).toEqual([length, digest]);
  }
});

it('gives one SHA-256 of texts of every length, whoever works it out', async () => {
  const lengths = [...Array(200).keys(), 2047, 2048, 2049, 16_383, 16_384, 16_385, 100_000];
  for (const length of lengths) {
    const bytes = crypto.getRandomValues(new Uint8Array(Math.min(length, 65_536)));
    const input = Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
    const answer = await run(hash, { input: input.toString('base64'), input_encoding: 'base64' });
    expect(answer.hash).toBe(createHash('sha256').update(input).digest('hex'));
  }
});

it('signs by RFC 4231, test case 2, in hex and base64', async () => {
  const input = {
    input: 'what do ya want for nothing?',
    key: 'Jefe',
    algorithm: 'hmac-sha256' as const,
  };
  const hex = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  expect((await run(hash, input)).hash).toBe(hex);
  expect((await run(hash, { ...input, encoding: 'base64' })).hash).toBe(
    Buffer.from(hex, 'hex').toString('base64'),
  );
});

it('signs with a key of bytes, and with an empty one', async () => {
  const key = {
    key: '0b'.repeat(20),
    key_encoding: 'hex' as const,
    algorithm: 'hmac-sha256' as const,
  };
  expect((await run(hash, { input: 'Hi There', ...key })).hash).toBe(
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  );
  expect((await run(hash, { input: '', key: '', algorithm: 'hmac-sha256' })).hash).toBe(
    'b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad',
  );
});

it('hashes text as UTF-8', async () => {
  expect((await run(hash, { input: 'ü😀', algorithm: 'md5' })).hash).toBe(
    (await run(hash, { input: 'c3bcf09f9880', input_encoding: 'hex', algorithm: 'md5' })).hash,
  );
});

it('asks for a key, and for bytes that are what they are called', async () => {
  expect(await refusal(hash, { input: 'a', algorithm: 'hmac-sha256' })).toMatchObject({
    status: 422,
    path: 'key',
  });
  expect(await refusal(hash, { input: 'xyz', input_encoding: 'hex' })).toMatchObject({
    status: 422,
    path: 'input',
  });
  expect(
    await refusal(hash, { input: 'a', algorithm: 'hmac-sha256', key: '@', key_encoding: 'base64' }),
  ).toMatchObject({ path: 'key' });
});

it('cannot use hash-wasm as it comes, which is why its program is taken out', async () => {
  await expect(createBLAKE3()).rejects.toThrow('disallowed by embedder');
});
