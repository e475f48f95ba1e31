// The part of run.ts that runs in the browser's network namespace. Starts the browser, and connects the ports
// in the namespace with the Unix sockets of run.ts, which network namespaces do not isolate.
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { spawnChild } from '../child.ts';
import { devToolsLine, devToolsSocket, passOn, proxySocket } from './sockets.ts';

const proxy = await passOn({ host: '127.0.0.1', port: 0 }, { path: proxySocket });
const { port } = proxy.address() as AddressInfo;

const [program, ...args] = process.argv.slice(2);
const child = spawnChild(
  program!,
  [
    ...args,
    `--proxy-server=socks5://127.0.0.1:${port}`,
    // By default Chrome bypasses the proxy for loopback and link-local addresses.
    '--proxy-bypass-list=<-loopback>',
    // Only the proxy may resolve names.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    // Requests that no page asked for.
    '--disable-component-update',
    // Chrome's uses of UDP, which the proxy does not support.
    '--disable-quic',
    '--disable-blink-features=WebTransport',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  ],
  { stdio: ['ignore', 'inherit', 'pipe'] },
);
child.once('exit', (code) => process.exit(code ?? 1));
for await (const line of createInterface(child.stderr!)) {
  const found = devToolsLine.exec(line)?.groups;
  if (found)
    await passOn({ path: devToolsSocket }, { host: '127.0.0.1', port: Number(found.port) });
  console.error(line);
}
