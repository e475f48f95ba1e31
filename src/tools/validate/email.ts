import { isEmail, isIdnEmail } from '@hyperjump/json-schema-formats';
import { domainToASCII } from 'node:url';
import { invalid, type Verdict } from './verdict.ts';

/** The rule of `<input type=email>` (HTML, section 4.10.5.1.5). */
const html5 =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** A bare address: RFC 5321's Mailbox with the domains of RFC 6531, or the browser's rule. */
export function validateEmail(address: string, mode: 'rfc5321' | 'html5'): Verdict {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  const problem =
    at < 1 ? 'has no local part before an @' : problemOf(address, local, domain, mode);
  if (problem) return invalid(problem);
  const ascii = domain.startsWith('[') ? domain : domainToASCII(domain);
  return {
    errors: [],
    summary: `an address at ${domain}`,
    details: {
      local_part: local,
      domain,
      ascii_domain: ascii,
      quoted: local.startsWith('"'),
      mode,
    },
  };
}

function problemOf(
  address: string,
  local: string,
  domain: string,
  mode: string,
): string | undefined {
  if (mode === 'html5') return html5.test(address) ? undefined : "is not an address by HTML's rule";
  // RFC 5321, sections 4.5.3.1.1 to 4.5.3.1.3
  if (Buffer.byteLength(local) > 64) return 'has a local part of more than 64 octets';
  if (Buffer.byteLength(address) > 254) return 'is longer than 254 octets';
  // oxlint-disable-next-line no-control-regex
  if (/[^\u0000-\u007f]/.test(local)) return 'has a local part with characters outside ASCII';
  if (domain.startsWith('['))
    return isLiteral(address) ? undefined : 'has a malformed address literal';
  const ascii = domainToASCII(domain);
  if (ascii === '' || ascii.split('.').some((label) => label.length > 63)) {
    return 'has a malformed domain';
  }
  // The domain as written must be one, too: a URL's host may hold more.
  if (!isIdnEmail(`x@${domain}`) || !isEmail(`x@${ascii}`)) return 'has a malformed domain';
  return isEmail(`${local}@example.com`) ? undefined : 'has a malformed local part';
}

function isLiteral(address: string): boolean {
  try {
    return isEmail(address);
  } catch {
    return false; // a literal of a kind that is not registered
  }
}
