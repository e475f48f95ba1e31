import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { invalidInput } from '../../errors.ts';
import { noteIgnored } from '../../shared/ignored-fields.ts';
import { base64Fault, byteEncoding, hexFault, toBytes } from '../bytes.ts';
import { defineTool, price } from '../tool.ts';
import { blake3, sha256 } from './programs.ts';

const algorithm = z.enum(['md5', 'sha1', 'sha256', 'sha512', 'blake3', 'hmac-sha256']);
const encoding = z.enum(['hex', 'base64']);

export const hash = defineTool({
  name: 'hash',
  summary: 'Hash text or bytes: MD5, SHA-1, SHA-2, BLAKE3 and HMAC',
  description: `Use \`md5\` and \`sha1\` for checksums only: both are broken as protection against attackers.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({
      input: z.string().describe('Text or encoded bytes to hash'),
      algorithm: algorithm.default('sha256'),
      encoding: encoding.default('hex').describe('Encoding of the hash in the response'),
      key: z.string().optional().describe('HMAC key; required for hmac-sha256'),
      input_encoding: byteEncoding.default('utf8').describe('Encoding of `input`'),
      key_encoding: byteEncoding.default('utf8').describe('Encoding of `key`'),
    });
  },
  get output() {
    return z.object({ hash: z.string(), algorithm, encoding });
  },
  examples: [
    { title: 'SHA-256', input: { input: 'hello' } },
    {
      title: 'a webhook signature',
      input: { input: '{"id":1}', algorithm: 'hmac-sha256', key: 'secret' },
    },
    {
      title: 'BLAKE3 of bytes',
      input: { input: 'ff00', input_encoding: 'hex', algorithm: 'blake3' },
    },
  ],
  async run({ input, algorithm, encoding, key, input_encoding, key_encoding }, { client }) {
    // Who sends a key expects an HMAC.
    if (key !== undefined && algorithm !== 'hmac-sha256') noteIgnored(client.ignored, 'key');
    const bytes = bytesOf('input', input, input_encoding);
    const hash = await digest(algorithm, bytes, () => {
      if (key === undefined) throw invalidInput('key', 'is required for hmac-sha256');
      return bytesOf('key', key, key_encoding);
    });
    return { hash: encoding === 'hex' ? hash.toHex() : hash.toBase64(), algorithm, encoding };
  },
});

/**
 * Up to this size WebAssembly is faster than WebCrypto, which answers asynchronously (bench/hash-call.ts).
 */
const shortInputBytes = 2048;

const webCryptoNames = { md5: 'MD5', sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' };

async function digest(
  name: z.infer<typeof algorithm>,
  input: BufferSource & Uint8Array,
  key: () => Uint8Array,
): Promise<Uint8Array> {
  if (name === 'blake3') return blake3(input);
  if (name === 'sha256' && input.length <= shortInputBytes) return sha256(input);
  if (name === 'hmac-sha256') return createHmac('sha256', key()).update(input).digest();
  // A hash of node:crypto is a stream, and creating one takes longer than hashing a short text.
  return new Uint8Array(await crypto.subtle.digest(webCryptoNames[name], input));
}

function bytesOf(field: string, text: string, encoding: z.infer<typeof byteEncoding>): Uint8Array {
  const bytes = toBytes(text, encoding);
  if (!bytes) {
    const fault = encoding === 'base64' ? base64Fault(text) : hexFault(text);
    throw invalidInput(field, `is not ${encoding}: ${fault}`);
  }
  return bytes;
}
