import { domainToASCII, domainToUnicode } from 'node:url';

/** Characters that the URL parser behind the conversion drops, or that end a host. */
const notInHost = /[\t\n\r#%/:?@[\\\]]/;

/**
 * Converts a domain name. An appended label prevents that the URL parser reads a number as an IPv4 address.
 */
function convertName(domain: string, convert: (domain: string) => string): string | undefined {
  if (domain === '') return '';
  if (notInHost.test(domain)) return undefined;
  return convert(`${domain}.x`).slice(0, -2) || undefined;
}

/**
 * Returns a domain name in A-labels (UTS #46); undefined for an invalid name. An ASCII name is returned
 * unchanged by the URL standard, even with an invalid A-label: see {@link brokenLabel}.
 */
export const toAscii = (domain: string) => convertName(domain, domainToASCII);

/** Returns a domain name with its A-labels decoded; undefined for an invalid name. Invalid A-labels stay. */
export const toUnicode = (domain: string) => convertName(domain, domainToUnicode);

/** Returns the first label that begins with `xn--` and cannot be decoded (UTS #46). */
export const brokenLabel = (domain: string): string | undefined =>
  toUnicode(domain)
    ?.split('.')
    .find((label) => /^xn--/i.test(label));
