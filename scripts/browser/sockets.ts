import {
  connect,
  createServer,
  type ListenOptions,
  type NetConnectOpts,
  type Server,
} from 'node:net';
import { once } from 'node:events';
import { pipeline } from 'node:stream';

// Both are relative to the browser's profile, the folder that run.ts and inside.ts work in: the path of a
// Unix socket has at most 107 bytes (unix(7)), and the profile's own may have nearly as many.
/** Socket of the proxy, outside of the browser's network namespace. */
export const proxySocket = 'proxy.sock';
/** Socket that leads to the browser's DevTools port, inside the namespace. */
export const devToolsSocket = 'devtools.sock';

/** Chrome's line on standard error that names its DevTools port. */
export const devToolsLine = /^DevTools listening on ws:\/\/127\.0\.0\.1:(?<port>\d+)(?<path>\/\S+)/;

/** Passes every connection to one place on to another, both ways. */
export async function passOn(from: ListenOptions, to: NetConnectOpts): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const target = connect({ ...to, allowHalfOpen: true });
    pipeline(socket, target, socket, () => {});
  });
  server.listen(from);
  await once(server, 'listening');
  return server;
}
