import ipaddr from 'ipaddr.js';
import type { Resolver } from '../resolver/resolver.ts';

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
  if (allowed === 'true') return anywhere;
  const hosts = allowed.split(',').map((host) => host.trim());
  return publicInternet(resolver, hosts.filter(Boolean));
}

/** Everything that http and https lead to: for a browser on one's own machine. */
const anywhere: Reach = {
  restricted: false,
  refusal: async (url) => schemeRefusal(url),
  connectionRefusal: () => undefined,
};

/**
 * The public Internet: names must resolve, and to public addresses only. Each host is looked up once.
 *
 * @param exceptions hosts that may be asked for whatever their address, as they stand in URLs
 */
function publicInternet(resolver: Resolver, exceptions: string[]): Reach {
  const hosts = new Map(
    exceptions.map((host) => [host, Promise.resolve<string | undefined>(undefined)]),
  );
  return {
    restricted: true,
    async refusal(url) {
      const scheme = schemeRefusal(url);
      if (scheme) return scheme;
      const { hostname } = new URL(url);
      const known = hosts.get(hostname) ?? hostRefusal(hostname, resolver);
      hosts.set(hostname, known);
      return known;
    },
    connectionRefusal(url, space) {
      const host = URL.parse(url ?? '')?.hostname ?? '';
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

function literalRefusal(address: string): string | undefined {
  return isPublic(address) ? undefined : `leads to ${address}, which is not a public address`;
}

async function hostRefusal(hostname: string, resolver: Resolver): Promise<string | undefined> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(literal)) return literalRefusal(literal);
  const found = await Promise.all([
    resolver.resolve(hostname, 'A'),
    resolver.resolve(hostname, 'AAAA'),
  ]);
  const addresses = found.flat().map(({ value }) => value);
  if (addresses.length === 0) return `cannot be reached: ${hostname} has no address`;
  const secret = addresses.find((address) => !isPublic(address));
  return secret && `leads to ${hostname}, whose address ${secret} is not a public one`;
}

/** Azure's own service for its machines has a public address, which no registry tells from others. */
const azureMetadata = '168.63.129.16';

/**
 * Whether an address is of the public Internet (IANA's special-purpose registries, RFC 6890): not
 * private, loopback, link-local, shared, documentation, multicast, and none that carries another.
 */
function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || address === azureMetadata) return false;
  // The only addresses given out so far (RFC 4291, 2.4) are those of 2000::/3.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parse('2000::'), 3);
}
