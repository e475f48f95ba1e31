import ipaddr from 'ipaddr.js';
import type { AppContext } from './answer.ts';

/** What a check of the caller needs to see. */
export type Asked = Pick<AppContext, 'req' | 'env'>;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/**
 * The address of every connection that does not come through Cloudflare's edge: scripts/front.ts listens
 * on the loopback address alone. It is a constant, because Miniflare gives a Worker no peer address, and
 * fills `request.cf` from a header that any client may send.
 */
const ownMachine = ipaddr.parse('127.0.0.1');

/**
 * The address by which a caller is counted, as TRUSTED_PROXY says: with `cloudflare` the
 * `CF-Connecting-IP` that Cloudflare's edge sets, else the right-most entry of `X-Forwarded-For` that is
 * not the address of a trusted proxy. No other header is believed. Of an IPv6 address the network of
 * 64 bits counts, since whoever has one address there has them all (RFC 6177).
 */
export function addressOf({ req, env }: Asked): string {
  const { TRUSTED_PROXY: trusted = '' } = env;
  if (trusted === 'cloudflare') {
    const given = parsed(req.header('cf-connecting-ip') ?? '');
    return given ? networkOf(given) : 'unknown';
  }
  return networkOf(forwardedTo(trustedRanges(trusted), req.header('x-forwarded-for') ?? ''));
}

/** Each proxy appends the address of its own client; what stands before that entry may be made up. */
function forwardedTo(trusted: Range[], forwardedFor: string): Address {
  let address: Address = ownMachine;
  for (const entry of forwardedFor.split(',').toReversed()) {
    const previous = parsed(entry.trim());
    if (!previous || ipaddr.subnetMatch(address, { trusted }, 'other') === 'other') break;
    address = previous;
  }
  return address;
}

/** The addresses and CIDR ranges of TRUSTED_PROXY. Throws for an entry that is neither. */
export function trustedRanges(list: string): Range[] {
  const entries = list.split(',').map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry): Range => {
    if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
    const address = parsed(entry);
    if (address) return [address, address.kind() === 'ipv4' ? 32 : 128];
    throw new Error(
      `TRUSTED_PROXY: "${entry}" must be cloudflare, or IP addresses and CIDR ranges`,
    );
  });
}

/** ipaddr.js also reads short forms such as `127.1`, and zones, which no proxy writes. */
function parsed(text: string): Address | undefined {
  const isPlain = text.includes(':')
    ? !text.includes('%')
    : ipaddr.IPv4.isValidFourPartDecimal(text);
  return isPlain && ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function networkOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString();
}
