import { domainToASCII, domainToUnicode } from 'node:url';

/** What would end the host in the URL parser that does the conversion, or be dropped by it. */
const notInHost = /[\t\n\r#%/:?@[\\\]]/;

/** The label at the end keeps what looks like a number from being read as an IPv4 address. */
function inFront(domain: string, convert: (domain: string) => string): string | undefined {
  if (domain === '') return '';
  if (notInHost.test(domain)) return undefined;
  return convert(`${domain}.x`).slice(0, -2) || undefined;
}

/**
 * A domain name with A-labels (UTS #46), or undefined. What is ASCII passes as it is, as the URL
 * standard has it: see {@link brokenLabel}.
 */
export const toAscii = (domain: string) => inFront(domain, domainToASCII);

/** A domain name with its A-labels as Unicode, or undefined; a broken label stays as it is. */
export const toUnicode = (domain: string) => inFront(domain, domainToUnicode);

/** The first label that begins with `xn--` and stands for no characters that UTS #46 allows. */
export const brokenLabel = (domain: string): string | undefined =>
  toUnicode(domain)
    ?.split('.')
    .find((label) => /^xn--/i.test(label));
