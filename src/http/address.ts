import ipaddr from 'ipaddr.js';
import type { AppContext } from './answer.ts';

/** What a check of the caller needs to see. */
export type Asked = Pick<AppContext, 'req' | 'env'>;

/**
 * By which address a caller without a key is counted: of IPv6 the network of 64 bits, since whoever
 * has one address there has them all (RFC 6177).
 */
export function addressOf({ req }: Pick<Asked, 'req'>): string {
  const given = req.header('cf-connecting-ip') ?? '';
  if (!ipaddr.IPv6.isValid(given)) return given || 'unknown';
  const address = ipaddr.IPv6.parse(given);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${given}/64`).toString();
}
