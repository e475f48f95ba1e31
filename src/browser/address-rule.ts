import ipaddr from 'ipaddr.js';

/** Returns the reason why a connection to a host at an address is refused; undefined if it is allowed. */
export type AddressRule = (host: string, address: string) => string | undefined;

/**
 * Returns the rule for a browser's connections. It allows public addresses, and any address of the allowed
 * private hosts. Link-local addresses and cloud metadata services are refused even for allowed hosts.
 *
 * @param allowed the value of ALLOW_PRIVATE_HOSTS
 * @param isOwn tells whether an address belongs to this machine; such an address counts as private
 */
export function addressRule(
  allowed = '',
  isOwn: (address: string) => boolean = () => false,
): AddressRule {
  const exceptions = hostsIn(allowed);
  return (host, address) => {
    const place = host === address ? `${address}, which` : `${host}, whose address ${address}`;
    if (isNeverOpen(address)) return `leads to ${place} is link-local or a metadata service`;
    if (allowed === 'true' || exceptions.includes(host)) return undefined;
    return isPublic(address) && !isOwn(address)
      ? undefined
      : `leads to ${place} is not a public address`;
  };
}

/** Parses ALLOW_PRIVATE_HOSTS, a comma-separated list of hosts. */
export const hostsIn = (allowed: string): string[] =>
  allowed
    .split(',')
    .map((host) => withoutBrackets(host.trim()))
    .filter(Boolean);

/** Whether a name is `localhost` or below it. Such a name is this machine, without DNS (RFC 6761, 6.3). */
export const isLocalhost = (host: string): boolean => /(?:^|\.)localhost\.?$/i.test(host);

/** Removes the brackets that an IPv6 address has in a URL. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/**
 * Metadata services that give cloud machines their credentials, outside of the link-local 169.254.0.0/16:
 * Alibaba, Azure (168.63.129.16 is a public address), Oracle, and by IPv6 AWS and Google.
 */
const metadataServices = new Set(
  ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map(
    (address) => ipaddr.parse(address).toNormalizedString(),
  ),
);

function isNeverOpen(address: string): boolean {
  const parsed = embedded(ipaddr.process(address));
  return parsed.range() === 'linkLocal' || metadataServices.has(parsed.toNormalizedString());
}

/** Returns the IPv4 address in a NAT64 address of 64:ff9b::/96 (RFC 6052); any other address unchanged. */
function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.range() !== 'rfc6052') return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/**
 * Whether an address is on the public Internet by IANA's special-purpose registries (RFC 6890): not private,
 * loopback, link-local, shared, documentation or multicast, and without an embedded IPv4 address.
 */
function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // Global unicast addresses are allocated from 2000::/3 only (RFC 4291, 2.4).
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parse('2000::'), 3);
}
