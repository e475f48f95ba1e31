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
 * Decodes base64 in either alphabet (RFC 4648, sections 4 and 5), with optional white space and padding. Also
 * decodes `data:` URLs. Returns undefined for anything else; Buffer would ignore invalid characters.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/^\s*data:/i.test(text)) return fromDataUrl(text.trim());
  try {
    return Uint8Array.fromBase64(
      /[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : text,
    );
  } catch {
    return undefined;
  }
}

/** Returns the reason why a text is not base64. */
export function base64Fault(text: string): string {
  if (/^\s*data:[^,]*$/i.test(text)) return 'a data: URL has a comma before its data';
  const start = /^\s*data:[^,]*,/i.exec(text)?.[0].length ?? 0;
  const at = start + text.slice(start).search(/[^\w+/= \t\n\f\r-]/);
  if (at < start) return 'its length or its padding is not that of base64';
  return characterAt(text, at);
}

/** Returns what is wrong with a text that is not hexadecimal. */
export function hexFault(text: string): string {
  const blank = text.replace(betweenDigits, (between) => ' '.repeat(between.length));
  const at = blank.search(/[^\da-f ]/i);
  return at < 0 ? 'it has an odd number of digits' : characterAt(text, at);
}

const characterAt = (text: string, at: number) =>
  `it has ${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))} at offset ${at}`;

/** Bytes of a `data:` URL (Fetch, section 6): base64 if it says so, else percent-encoded. */
function fromDataUrl(url: string): Uint8Array<ArrayBuffer> | undefined {
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  // A URL has no line ends, and its fragment does not count.
  const data = url
    .slice(comma + 1)
    .replace(/#.*$/s, '')
    .replace(/[\t\n\r]/g, '');
  if (!/; *base64 *$/i.test(url.slice(0, comma))) return percentDecoded(data);
  return fromBase64(data.includes('%') ? percentDecoded(data).toString('latin1') : data);
}

const percentDecoded = (text: string): Buffer<ArrayBuffer> =>
  Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replace(/%([0-9a-f]{2})/gi, (_: string, digits: string) =>
        String.fromCharCode(Number.parseInt(digits, 16)),
      ),
    'latin1',
  );

/** What may stand between hexadecimal digits. */
const betweenDigits = /0x|[\s:]/gi;

/** Decodes hexadecimal digits in either case. `0x`, spaces and colons between bytes are ignored. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromHex(text.replace(betweenDigits, ''));
  } catch {
    return undefined;
  }
}
