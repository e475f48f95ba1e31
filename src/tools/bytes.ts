import { z } from 'zod';

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

/**
 * Bytes of base64 (RFC 4648, sections 4 and 5): either alphabet, white space between, padding
 * optional. Refuses everything else, where Buffer would take it.
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

/** Bytes of hexadecimal digits in either case; `0x`, spaces and colons may stand between. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromHex(text.replace(/0x|[\s:]/gi, ''));
  } catch {
    return undefined;
  }
}
