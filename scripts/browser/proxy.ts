import { createServer } from '@pondwader/socks5-server';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { pipeline } from 'node:stream';
import { addressRule } from '../../src/browser/address-rule.ts';

/** Milliseconds for a connection to open; Chrome itself waits four minutes. */
const connectMs = 30_000;

/**
 * A SOCKS 5 proxy (RFC 1928) that looks each host up, checks all of its addresses, and connects to the
 * addresses it has checked: the name cannot have another address by then (DNS rebinding).
 *
 * @param allowed private hosts, in the form of ALLOW_PRIVATE_HOSTS
 * @param resolve finds the addresses of a host; by default in the way of every other program here
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
    target.setTimeout(connectMs, () => target.destroy(new Error('timed out')));
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

/** Without any when the look-up fails. Node throws at once for a name that is none, such as one with a NUL. */
async function addressesOf(
  host: string,
  resolve: (host: string) => Promise<LookupAddress[]>,
): Promise<LookupAddress[]> {
  try {
    return await resolve(host);
  } catch {
    return [];
  }
}

/** A service that listens on the machine's own public address may be meant for the machine alone. */
function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => own.address === address),
  );
}
