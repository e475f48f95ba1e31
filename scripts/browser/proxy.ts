import { createServer } from '@pondwader/socks5-server';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { pipeline } from 'node:stream';
import { addressRule, isLocalhost } from '../../src/browser/address-rule.ts';

/** Milliseconds after which opening a connection fails. Chrome's own timeout is four minutes. */
const connectTimeoutMs = 30_000;

/**
 * Creates a SOCKS 5 proxy (RFC 1928). It resolves each host, checks all of its addresses, and connects only to
 * the checked addresses. The host is not resolved again, so DNS rebinding has no effect.
 *
 * @param allowed the value of ALLOW_PRIVATE_HOSTS
 * @param resolve returns the addresses of a host; by default the system's resolver
 */
export function browserProxy(
  allowed: string | undefined,
  resolve = (host: string): Promise<LookupAddress[]> => lookup(host, { all: true }),
) {
  const refusal = addressRule(allowed, isOwnAddress);
  const proxy = createServer();
  proxy.setConnectionHandler(async ({ destAddress: host, destPort: port, socket }, sendStatus) => {
    socket.on('error', () => {});
    const addresses = await addressesOf(host, resolve);
    if (addresses.length === 0) return sendStatus('HOST_UNREACHABLE');
    if (addresses.some(({ address }) => refusal(host, address))) {
      return sendStatus('CONNECTION_NOT_ALLOWED');
    }
    const target = connect({
      host,
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      noDelay: true,
      lookup: (_host, _options, found) => found(null, addresses),
    });
    const failed = () => sendStatus('CONNECTION_REFUSED');
    target.once('error', failed);
    target.setTimeout(connectTimeoutMs, () => target.destroy(new Error('timed out')));
    socket.once('close', () => target.destroy());
    target.once('connect', () => {
      target.off('error', failed);
      target.setTimeout(0);
      sendStatus('REQUEST_GRANTED');
      pipeline(socket, target, socket, () => {});
    });
  });
  return proxy;
}

const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** The addresses of a host; none if the lookup fails. Node throws synchronously for a malformed name. */
async function addressesOf(
  host: string,
  resolve: (host: string) => Promise<LookupAddress[]>,
): Promise<LookupAddress[]> {
  try {
    return isLocalhost(host) ? loopback : await resolve(host);
  } catch {
    return [];
  }
}

/** Whether an address is this machine's. A service on its public address may be meant for local use only. */
function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => own.address === address),
  );
}
