import { z } from 'zod';
import { fromBase64, fromHex } from './encode/codecs.ts';

/** How a string field stands for bytes. */
export const byteEncoding = z.enum(['utf8', 'base64', 'hex']);

/** Bytes of a string; undefined when it is not what `encoding` says. */
export function toBytes(
  text: string,
  encoding: z.infer<typeof byteEncoding>,
): Uint8Array | undefined {
  if (encoding === 'utf8') return Buffer.from(text);
  return encoding === 'base64' ? fromBase64(text) : fromHex(text);
}
