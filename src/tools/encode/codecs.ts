import { escapeUTF8 } from 'entities/escape';
import { brokenLabel, toAscii, toUnicode } from '../domain-name.ts';

/*
 * Every decoder returns undefined for an invalid input. encode/index.ts has the error messages.
 */

/** Percent-encodes all characters except the unreserved ones of RFC 3986, section 2.3. */
export function toPercent(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Returns the index of the first `%` without two hexadecimal digits after it, or -1. */
export const brokenPercent = (text: string) => text.search(/%(?![0-9a-f]{2})/i);

/** Decodes percent-encoding without a {@link brokenPercent}. A `+` stays a `+`. */
export function fromPercent(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  let end = 0;
  for (let i = 0; i < bytes.length; i++) {
    const encoded = bytes[i] === percentSign;
    bytes[end++] = encoded ? Number.parseInt(bytes.latin1Slice(i + 1, i + 3), 16) : bytes[i]!;
    if (encoded) i += 2;
  }
  return bytes.subarray(0, end);
}

const percentSign = 0x25;

/** Replaces markup characters by character references. */
export const toHtml = (text: string) => escapeUTF8(text);

/** Resolves character references once, as a browser does in text (HTML, section 13.2.5.72). */
export async function fromHtml(text: string): Promise<string> {
  // Loaded when needed, because loading the table of HTML's character names takes 20 ms.
  return (await import('entities/decode')).decodeHTML(text);
}

/** Converts a domain name, or the domain of an email address, to A-labels (UTS #46). */
export const toPunycode = (text: string) => inDomain(text, toAscii);

/** Converts A-labels to Unicode. */
export const fromPunycode = (text: string) =>
  inDomain(text, (domain) => (brokenLabel(domain) ? undefined : toUnicode(domain)));

/** Returns the first label of a domain name that cannot be converted. */
export const wrongLabel = (text: string): string | undefined =>
  text
    .slice(text.lastIndexOf('@') + 1)
    .split('.')
    .find((label) => toAscii(label) === undefined || brokenLabel(label));

/** Returns warnings about an encoded name that is not a valid DNS name. */
export function domainWarnings(encoded: string): string[] {
  const domain = encoded.slice(encoded.lastIndexOf('@') + 1);
  const broken = brokenLabel(domain);
  const long = domain.split('.').find((label) => label.length > 63);
  return [
    ...(broken ? [`the label ${broken} begins with xn-- and is no A-label`] : []),
    ...(long ? [`the label ${long} has more than 63 octets`] : []),
    ...(domain.length > 254 ? ['the domain name has more than 253 octets'] : []),
  ];
}

function inDomain(
  text: string,
  convert: (domain: string) => string | undefined,
): string | undefined {
  const at = text.lastIndexOf('@') + 1;
  const converted = convert(text.slice(at));
  return converted === undefined ? undefined : text.slice(0, at) + converted;
}
