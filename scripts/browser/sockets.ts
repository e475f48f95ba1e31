import {
  connect,
  createServer,
  type ListenOptions,
  type NetConnectOpts,
  type Server,
} from 'node:net';
import { once } from 'node:events';
import { pipeline } from 'node:stream';

// Both paths are relative to the browser's profile, the working directory of run.ts and inside.ts. The path of
// a Unix socket has at most 107 bytes (unix(7)), and the absolute path of the profile may be nearly as long.
/** Socket of the proxy, outside of the browser's network namespace. */
export const proxySocket = 'proxy.sock';
/** Socket that leads to the browser's DevTools port, inside the namespace. */
export const devToolsSocket = 'devtools.sock';

/** The line on standard error in which Chrome prints its DevTools port. */
export const devToolsLine = /^DevTools listening on ws:\/\/127\.0\.0\.1:(?<port>\d+)(?<path>\/\S+)/;

/** Forwards every connection to `from` to `to`, in both directions. */
export async function passOn(from: ListenOptions, to: NetConnectOpts): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const target = connect({ ...to, allowHalfOpen: true });
    pipeline(socket, target, socket, () => {});
  });
  server.listen(from);
  await once(server, 'listening');
  return server;
}
