import { escapeUTF8 } from 'entities/escape';
import { brokenLabel, toAscii, toUnicode } from '../domain-name.ts';

/*
 * Every decoder returns undefined for what it cannot decode; encode/index.ts words the error.
 */

/** Percent-encodes all but RFC 3986's unreserved characters (section 2.3). */
export function toPercent(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Index of the first `%` that no two hexadecimal digits follow, or -1. */
export const brokenPercent = (text: string) => text.search(/%(?![0-9a-f]{2})/i);

/** Undoes percent-encoding that {@link brokenPercent} finds whole; a `+` stays a `+`. */
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

/** Markup characters as character references. */
export const toHtml = (text: string) => escapeUTF8(text);

/** Resolves character references once, as a browser does in text (HTML, section 13.2.5.72). */
export async function fromHtml(text: string): Promise<string> {
  // All of HTML's names take 20 ms to load.
  return (await import('entities/decode')).decodeHTML(text);
}

/** An international domain name, or an email address's domain, as A-labels (UTS #46). */
export const toPunycode = (text: string) => inDomain(text, toAscii);

/** The way back: A-labels as Unicode. */
export const fromPunycode = (text: string) =>
  inDomain(text, (domain) => (brokenLabel(domain) ? undefined : toUnicode(domain)));

/** The first label of a domain name that no conversion takes, or undefined. */
export const wrongLabel = (text: string): string | undefined =>
  text
    .slice(text.lastIndexOf('@') + 1)
    .split('.')
    .find((label) => toAscii(label) === undefined || brokenLabel(label));

/** What is wrong with a domain name that was encoded and that no DNS name can be. */
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
