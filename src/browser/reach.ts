import ipaddr from 'ipaddr.js';
import type { Resolver } from '../resolver/resolver.ts';
import { addressRule, hostsIn, withoutBrackets, type AddressRule } from './address-rule.ts';

/** Says which addresses a page may ask for. */
export interface Reach {
  /** Whether addresses of private networks are refused. */
  restricted: boolean;
  /** Why an URL may not be asked for; undefined when it may. Throws when the resolver fails. */
  refusal(url: string): Promise<string | undefined>;
  /**
   * The same, of an answer that has come.
   * @param space whose address it came from, in the words of Chrome: `Public`, `Local`, `Loopback` …
   */
  connectionRefusal(url: string | undefined, space: string): string | undefined;
}

/** @param allowed private hosts by ALLOW_PRIVATE_HOSTS: `true` for all of them, or some with commas */
export function reachOf(allowed = '', resolver: Resolver): Reach {
  return allowed === 'true' ? anywhere : publicInternet(resolver, hostsIn(allowed), allowed);
}

/** Everything that http and https lead to, but what is never open: for a browser on one's own machine. */
const anywhere: Reach = {
  restricted: false,
  refusal: async (url) => schemeRefusal(url) ?? literalRefusal(hostOf(url), addressRule('true')),
  connectionRefusal: () => undefined,
};

/**
 * The public Internet: names must resolve, and to public addresses only. Each host is looked up once.
 *
 * @param exceptions hosts that may be asked for whatever their address, as they stand in URLs
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

/** The host of an URL; empty when it is no URL. */
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
  // Private names are known to the browser's own resolver alone.
  if (exceptions.includes(host)) return undefined;
  const found = await Promise.all([resolver.resolve(host, 'A'), resolver.resolve(host, 'AAAA')]);
  const addresses = found.flat().map(({ value }) => value);
  if (addresses.length === 0) return `cannot be reached: ${host} has no address`;
  return addresses.map((address) => rule(host, address)).find(Boolean);
}
