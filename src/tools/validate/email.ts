import { isEmail } from '@hyperjump/json-schema-formats';
import { isIdnHostname } from 'idn-hostname';
import { toAscii } from '../domain-name.ts';
import { invalid, quoted, type Verdict } from './verdict.ts';

/**
 * Validates an address without a display name: RFC 5321's Mailbox with the domains of RFC 6531, or HTML's
 * rule.
 */
export function validateEmail(address: string, mode: 'rfc5321' | 'html5'): Verdict {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  const fault =
    faultOfShape(address, at) ??
    (mode === 'html5' ? faultInHtml(local, domain) : faultOf(address, local, domain));
  if (fault) return invalid(fault);
  return {
    errors: [],
    summary: `an address at ${domain}`,
    details: {
      local_part: local,
      domain,
      ascii_domain: domain.startsWith('[') ? domain : toAscii(domain),
      quoted: local.startsWith('"'),
      mode,
    },
  };
}

function faultOfShape(address: string, at: number): string | undefined {
  if (address === '') return 'the address is empty';
  if (address.trim() !== address) return 'there is white space around the address; remove it';
  if (/<[^<>]*>$/.test(address))
    return 'a display name is no part of an address; write what is between < and >';
  if (at < 0) return 'there is no @';
  if (at === 0) return 'there is no local part before the @';
  return at === address.length - 1 ? 'there is no domain after the @' : undefined;
}

/** Validates by the rule of `<input type=email>` (HTML, section 4.10.5.1.5). */
function faultInHtml(local: string, domain: string): string | undefined {
  const wrong = /[^a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]/u.exec(local)?.[0];
  if (wrong) return `the local part has ${quoted(wrong)}, which HTML's rule forbids`;
  const label = domain
    .split('.')
    .find((each) => !/^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(each));
  if (label === undefined) return undefined;
  return `the domain's label ${quoted(label)} is not 1 to 63 ASCII letters, digits and inner hyphens`;
}

function faultOf(address: string, local: string, domain: string): string | undefined {
  const fault = local.startsWith('"') ? faultOfQuoted(local) : faultOfLocal(local);
  if (fault) return fault;
  // RFC 5321, sections 4.5.3.1.1 to 4.5.3.1.3.
  if (Buffer.byteLength(local) > 64) return 'the local part has more than 64 octets';
  if (Buffer.byteLength(address) > 254) return 'the address has more than 254 octets';
  return domain.startsWith('[') ? faultOfLiteral(domain) : faultOfDomain(domain);
}

function faultOfQuoted(local: string): string | undefined {
  const [whole] = /^"(?:[^"\\]|\\[^])*"/.exec(local) ?? [];
  if (whole === undefined) return 'the quoted local part has no closing quotation mark';
  if (whole !== local) return 'the local part has something after its closing quotation mark';
  const wrong = /[^ -~]/u.exec(local)?.[0];
  return wrong && `the local part has ${quoted(wrong)}, which is not printable ASCII`;
}

function faultOfLocal(local: string): string | undefined {
  const wrong = /[^\w.!#$%&'*+\-/=?^`{|}~]/u.exec(local)?.[0];
  if (wrong && !/[ -~]/.test(wrong))
    return `the local part has ${quoted(wrong)}, which is not printable ASCII`;
  if (wrong) return `the local part has ${quoted(wrong)}, which only a quoted local part may have`;
  if (local.startsWith('.')) return 'the local part begins with a dot';
  if (local.endsWith('.')) return 'the local part ends with a dot';
  return local.includes('..') ? 'the local part has two dots in a row' : undefined;
}

function faultOfLiteral(domain: string): string | undefined {
  if (!domain.endsWith(']')) return 'the address literal has no closing bracket';
  if (isAddressLiteral(domain)) return undefined;
  return `${quoted(domain)} is no address literal; write an IPv4 address, or IPv6: and an IPv6 address, between brackets`;
}

function isAddressLiteral(domain: string): boolean {
  // In RFC 5321 (section 4.1.3) `::` stands for at least two groups. An IPv4 address at the end counts as
  // two.
  const groups = domain.match(/(?<=[:.])[^:.\]]+/g)?.length ?? 0;
  const parts = domain.includes('.') ? groups - 2 : groups;
  if (domain.includes('::') && parts > 6) return false;
  try {
    return isEmail(`x@${domain}`);
  } catch {
    return false; // no registered kind of address literal
  }
}

function faultOfDomain(domain: string): string | undefined {
  if (/[.．。｡]$/.test(domain)) return 'the domain ends with a dot';
  try {
    isIdnHostname(domain);
  } catch (error) {
    return `${quoted(domain)} is no domain name: ${(error as Error).message.replace(/\.$/, '')}`;
  }
  // Hosts of URLs allow more characters than domain names, and domain names more than RFC 5321.
  const ascii = toAscii(domain);
  if (ascii === undefined || !isEmail(`x@${ascii}`)) return `${quoted(domain)} is no domain name`;
  return ascii.length > 253 ? 'the domain has more than 253 octets' : undefined;
}
