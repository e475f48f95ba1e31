import { z } from 'zod';

/** The encoding of bytes in a string field. */
export const byteEncoding = z.enum(['utf8', 'base64', 'hex']);

/** Decodes a string; undefined if the string is not valid in its encoding. */
export function toBytes(
  text: string,
  encoding: z.infer<typeof byteEncoding>,
): Uint8Array | undefined {
  if (encoding === 'utf8') return Buffer.from(text);
  return encoding === 'base64' ? fromBase64(text) : fromHex(text);
}

/**
 * Decodes base64 in either alphabet (RFC 4648, sections 4 and 5), with optional white space and padding.
 * Returns undefined for anything else; Buffer would ignore invalid characters.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(
      /[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : text,
    );
  } catch {
    return undefined;
  }
}

/** Decodes hexadecimal digits in either case. `0x`, spaces and colons between bytes are ignored. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromHex(text.replace(/0x|[\s:]/gi, ''));
  } catch {
    return undefined;
  }
}
