import { domainToASCII, domainToUnicode } from 'node:url';
import { escapeUTF8 } from 'entities/escape';

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
export const toPunycode = (text: string) => inDomain(text, domainToASCII);

/** The way back: A-labels as Unicode. */
export const fromPunycode = (text: string) => inDomain(text, domainToUnicode);

/** What would end the host in the URL parser that does the conversion, or be dropped by it. */
const notInHost = /[\t\n\r#%/:?@[\\\]]/;

function inDomain(text: string, convert: (domain: string) => string): string | undefined {
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at);
  if (notInHost.test(domain)) return undefined;
  if (domain === '') return text;
  // The label at the end keeps what looks like a number from being read as an IPv4 address.
  const converted = convert(`${domain}.x`);
  return converted === '' ? undefined : text.slice(0, at) + converted.slice(0, -2);
}
