import ipaddr from 'ipaddr.js';

/** Why a host may not be connected to at an address; undefined when it may. */
export type AddressRule = (host: string, address: string) => string | undefined;

/**
 * The rule for what a browser may connect to: public addresses, and any address of the private hosts that
 * are allowed. Link-local addresses and those of cloud metadata services are refused even then.
 *
 * @param allowed private hosts, in the form of ALLOW_PRIVATE_HOSTS
 * @param isOwn whether an address belongs to this machine; such an address counts as private
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

/** The hosts that ALLOW_PRIVATE_HOSTS lists, separated by commas. */
export const hostsIn = (allowed: string): string[] =>
  allowed
    .split(',')
    .map((host) => withoutBrackets(host.trim()))
    .filter(Boolean);

/** An IPv6 address as it stands outside of an URL. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/**
 * Where clouds serve credentials to their own machines, besides 169.254.0.0/16: Alibaba, Azure (168.63.129.16
 * is a public address), Oracle; AWS and Google by IPv6.
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

/** The IPv4 address that a NAT64 gateway reaches by an address of 64:ff9b::/96 (RFC 6052); else the same. */
function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.range() !== 'rfc6052') return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/**
 * Whether an address is of the public Internet (IANA's special-purpose registries, RFC 6890): not
 * private, loopback, link-local, shared, documentation, multicast, and none that carries another.
 */
function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // The only addresses given out so far (RFC 4291, 2.4) are those of 2000::/3.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parse('2000::'), 3);
}
