import { punycode } from 'idn-hostname';
import { brokenLabel, toAscii } from '../domain-name.ts';
import { invalid, quoted, type Verdict } from './verdict.ts';

/** Validates an absolute URL by the WHATWG standard, and its host by the rules of domain names. */
export function validateUrl(input: string): Verdict {
  const url = URL.parse(input);
  if (!url) return invalid(faultOf(input));
  const { protocol, username, hostname, port, pathname, search, hash, origin, href } = url;
  const { fault, warnings } = judgeHost(url);
  if (fault) return invalid(fault);
  warnings.push(...corrections(input, url));
  return {
    errors: [],
    summary: href,
    details: {
      scheme: protocol.slice(0, -1),
      username,
      host: hostname,
      port: port === '' ? null : Number(port),
      path: pathname,
      query: search.slice(1),
      fragment: hash.slice(1),
      origin,
      normalized: href,
      ...(warnings.length > 0 && { warnings }),
    },
  };
}

const special = /^(?:https?|wss?|ftp|file):/;

/**
 * Checks a host by DNS and IDNA, which the URL standard does not. Hosts of unknown schemes are not domain
 * names.
 */
function judgeHost({ href, protocol, hostname, pathname }: URL) {
  const warnings: string[] = [];
  if (/^[a-z]:[\\/]/i.test(href)) {
    warnings.push(
      'this is a path of Windows, whose drive is read as the scheme; a URL begins with file:///',
    );
  }
  if (!special.test(protocol)) {
    if (/^[\w.-]+:\d+(?:[/?#]|$)/.test(href)) {
      warnings.push(
        `${quoted(protocol.slice(0, -1))} is read as the scheme and ${quoted(pathname)} as the path; write http:// before a host`,
      );
    }
    return { warnings };
  }
  const name = hostname.replace(/\.$/, '');
  const long = name.split('.').find((label) => label.length > 63);
  if (long) return { fault: `the host's label ${quoted(long)} has more than 63 octets`, warnings };
  if (protocol !== 'file:' && name.split('.').includes('')) {
    // The URL standard and its tests accept empty labels.
    warnings.push(`the host ${quoted(hostname)} has an empty label, which DNS does not allow`);
  }
  if (name.length > 253) return { fault: 'the host has more than 253 octets', warnings };
  const broken = brokenLabel(name);
  if (broken && isForbidden(broken)) {
    const fault = `the host's label ${quoted(broken)} is Punycode for characters that UTS #46 forbids`;
    return { fault, warnings };
  }
  // The URL standard and its tests accept an A-label that cannot be decoded, or decodes to mapped characters.
  if (broken)
    warnings.push(`the host's label ${quoted(broken)} is no A-label, although it begins with xn--`);
  return { warnings };
}

/** Names the invalid parts of a URL that parsers correct (WHATWG URL, "validation error"). */
function corrections(input: string, { protocol, hostname }: URL): string[] {
  let [first, end] = [0, input.length];
  while (input.charCodeAt(first) <= 0x20) first++;
  while (input.charCodeAt(end - 1) <= 0x20) end--;
  const text = input.slice(first, end);
  const found: string[] = [];
  if (text !== input) found.push('white space around the URL is removed');
  if (/[\t\n\r]/.test(text)) found.push('tabs and line ends in the URL are removed');
  const start = /^[a-z][a-z\d+.-]*:([\\/]*)([^\\/?#]*)/i.exec(text.replace(/[\t\n\r]/g, ''));
  if (special.test(protocol) && protocol !== 'file:' && start?.[1] !== '//') {
    found.push(`${quoted(start?.[1] ?? '')} after the scheme is read as "//"`);
  }
  if (special.test(protocol) && /\\/.test(text.replace(/[?#].*$/s, ''))) {
    found.push('a backslash is read as "/"');
  }
  if (/%(?![\da-f]{2})/i.test(text)) found.push('a % without two hexadecimal digits is kept');
  const host = start?.[2]?.replace(/^.*@|:\d*$/g, '');
  if (/^[\d.]+$/.test(hostname) && host !== hostname) {
    found.push(`the host ${quoted(host ?? '')} is read as the IPv4 address ${hostname}`);
  }
  return found;
}

/** Whether an A-label decodes to characters that are forbidden in hosts. */
function isForbidden(label: string): boolean {
  try {
    return toAscii(punycode.decode(label.slice('xn--'.length))) === undefined;
  } catch {
    return false;
  }
}

/** Describes the first error of a text that the URL parser refuses. */
function faultOf(input: string): string {
  const text = input.trim();
  if (text === '') return 'the URL is empty';
  const [start, scheme] = /^([a-z][a-z\d+.-]*):/i.exec(text) ?? [];
  if (start === undefined || scheme === undefined) {
    return 'the URL has no scheme; write an absolute URL, such as https://example.com/';
  }
  const rest = text.slice(start.length).replace(/[\t\n\r]/g, '');
  const isSpecial = special.test(start.toLowerCase());
  const authority = (isSpecial ? /^[\\/]*([^\\/?#]*)/ : /^\/\/([^/?#]*)/).exec(rest)?.[1] ?? '';
  const credentials = authority.slice(0, authority.lastIndexOf('@') + 1);
  const host = authority.slice(credentials.length);
  const [, name = '', port] = /^(\[[^\]]*\]?|[^:]*)(?::(.*))?$/s.exec(host) ?? [];
  if (name === '') return `the URL has no host after ${quoted(start + (isSpecial ? '//' : ''))}`;
  return faultOfHost(`${scheme}://`, name) ?? faultOfPort(port) ?? 'the URL cannot be parsed';
}

function faultOfHost(start: string, host: string): string | undefined {
  if (URL.canParse(`${start}${host}/`)) return undefined;
  if (host.startsWith('[')) {
    return host.endsWith(']')
      ? `the host ${quoted(host)} is no IPv6 address`
      : `the host ${quoted(host)} has no closing bracket`;
  }
  // "Forbidden domain code points" of the URL standard, without those that end the host or are
  // percent-encoded.
  // oxlint-disable-next-line no-control-regex
  const wrong = /[\0- "<>[\]^`{|}\x7f]/.exec(host)?.[0];
  if (wrong) return `the host ${quoted(host)} has ${quoted(wrong)}, which no host may have`;
  if (/(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(host)) {
    return `the host ${quoted(host)} ends with a number and is no IPv4 address`;
  }
  return `the host ${quoted(host)} is no domain name that UTS #46 allows`;
}

function faultOfPort(port = ''): string | undefined {
  if (!/^\d*$/.test(port)) return `the port ${quoted(port)} is not a number`;
  return Number(port) > 65_535 ? `the port ${quoted(port)} is larger than 65535` : undefined;
}
