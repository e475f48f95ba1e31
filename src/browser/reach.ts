import ipaddr from 'ipaddr.js';
import type { Resolver } from '../resolver/resolver.ts';
import {
  addressRule,
  hostsIn,
  isLocalhost,
  withoutBrackets,
  type AddressRule,
} from './address-rule.ts';

/** Decides which URLs a page may request. */
export interface Reach {
  /** Whether addresses of private networks are refused. */
  restricted: boolean;
  /** Returns the reason why a URL is refused; undefined if it is allowed. Throws when the resolver fails. */
  refusal(url: string): Promise<string | undefined>;
  /**
   * Returns the reason why a response is refused by the address from which it came.
   *
   * @param space Chrome's address space of the server: `Public`, `Local`, `Loopback` …
   */
  connectionRefusal(url: string | undefined, space: string): string | undefined;
}

/**
 * Returns the reach of pages.
 *
 * @param allowed the value of ALLOW_PRIVATE_HOSTS: `true` for all private hosts, or a comma-separated list
 */
export function reachOf(allowed = '', resolver: Resolver): Reach {
  return allowed === 'true' ? anywhere : publicInternet(resolver, hostsIn(allowed), allowed);
}

/** Allows every http and https URL except link-local addresses and metadata services; for local development. */
const anywhere: Reach = {
  restricted: false,
  refusal: async (url) => schemeRefusal(url) ?? literalRefusal(hostOf(url), addressRule('true')),
  connectionRefusal: () => undefined,
};

/**
 * Allows the public Internet: a host must resolve, to public addresses only. Each host is resolved once.
 *
 * @param exceptions hosts that are allowed at any address, in the form that URLs have
 */
function publicInternet(resolver: Resolver, exceptions: string[], allowed: string): Reach {
  const rule = addressRule(allowed);
  const hosts = new Map<string, Promise<string | undefined>>();
  return {
    restricted: true,
    async refusal(url) {
      const scheme = schemeRefusal(url);
      if (scheme) return scheme;
      const host = hostOf(url);
      const known = hosts.get(host) ?? hostRefusal(host, resolver, exceptions, rule);
      hosts.set(host, known);
      return known;
    },
    connectionRefusal(url, space) {
      const host = hostOf(url ?? '');
      if (space === 'Public' || space === 'Unknown' || exceptions.includes(host)) return undefined;
      return `leads to ${host || 'an address'}, which is not on the public Internet`;
    },
  };
}

function schemeRefusal(url: string): string | undefined {
  const scheme = URL.parse(url)?.protocol;
  if (scheme === 'http:' || scheme === 'https:') return undefined;
  return `must be an http or https URL${scheme ? `, not ${scheme}` : ''}`;
}

/** Returns the host of a URL; empty for an invalid URL. */
const hostOf = (url: string) => withoutBrackets(URL.parse(url)?.hostname ?? '');

function literalRefusal(host: string, rule: AddressRule): string | undefined {
  return ipaddr.isValid(host) ? rule(host, host) : undefined;
}

async function hostRefusal(
  host: string,
  resolver: Resolver,
  exceptions: string[],
  rule: AddressRule,
): Promise<string | undefined> {
  if (ipaddr.isValid(host)) return literalRefusal(host, rule);
  // Only the browser's own resolver knows private names, so an allowed host is not looked up here.
  if (exceptions.includes(host)) return undefined;
  if (isLocalhost(host)) return rule(host, '127.0.0.1');
  const found = await Promise.all([resolver.resolve(host, 'A'), resolver.resolve(host, 'AAAA')]);
  const addresses = found.flat().map(({ value }) => value);
  if (addresses.length === 0) return `cannot be reached: ${host} has no address`;
  return addresses.map((address) => rule(host, address)).find(Boolean);
}
