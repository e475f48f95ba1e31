// The part of run.ts that runs in the browser's network namespace: starts the browser, and joins the ports
// in there with the Unix sockets of run.ts, which no namespace separates.
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
    // Loopback and link-local addresses would go past the proxy.
    '--proxy-bypass-list=<-loopback>',
    // The proxy resolves names; nothing else may.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    // Nothing that a page did not ask for.
    '--disable-component-update',
    // All that Chrome sends by UDP.
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
