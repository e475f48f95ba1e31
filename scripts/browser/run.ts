// Runs a browser that can reach the network only through the proxy: node run.ts PROGRAM ARGUMENTS…
// ALLOW_PRIVATE_HOSTS lists the private hosts to which the proxy connects. The printed line "DevTools listening
// on …" has the port of this process, which accepts only requests with the secret path in that line.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { spawnChild } from '../child.ts';
import { browserProxy } from './proxy.ts';
import { devToolsSocket, proxySocket } from './sockets.ts';
import { printStartMessages } from './start-messages.ts';

/** The conventional user and group id without privileges (nobody, nogroup). */
const nobody = 65_534;

/**
 * A command prefix that runs a command in a network namespace with only a loopback interface
 * (network_namespaces(7)), and in a user namespace, which everybody but root needs for it. Root gets another
 * user id in the user namespace, and so loses its privileges.
 */
const isolated = [
  'unshare',
  `--map-user=${process.getuid!() || nobody}`,
  `--map-group=${process.getgid!() || nobody}`,
  '--keep-caps',
  '--net',
  'sh',
  '-c',
  'ip link set lo up && exec setpriv --ambient-caps -all --inh-caps -all --pdeathsig KILL "$@"',
  'sh',
];
const isIsolated = succeeds([...isolated, 'true']);
/** Whether Chrome's own sandbox works, which creates a nested user namespace. Most containers forbid that. */
const hasSandbox = isIsolated && succeeds([...isolated, 'unshare', '--user', 'true']);

const browser = process.argv.slice(2).filter((each) => !(hasSandbox && each === '--no-sandbox'));
const profile = '--user-data-dir=';
process.chdir(browser.find((each) => each.startsWith(profile))!.slice(profile.length));

browserProxy(process.env.ALLOW_PRIVATE_HOSTS).listen(proxySocket);
const inside = [process.execPath, resolve(import.meta.dirname, 'inside.ts'), ...browser];
const [command, ...args] = isIsolated ? [...isolated, ...inside] : inside;
const child = spawnChild(command!, args, { stdio: ['ignore', 'inherit', 'pipe'] });
child.once('exit', (code) => process.exit(code ?? 1));
await printStartMessages(
  child.stderr!,
  async (_line, path) => `DevTools listening on ${await serveDevTools(path)}`,
);

function succeeds([command, ...args]: string[]): boolean {
  return spawnSync(command!, args, { stdio: 'ignore' }).status === 0;
}

/** Opens a port to the browser's DevTools, which accepts only the secret path of the WebSocket. */
async function serveDevTools(path: string): Promise<string> {
  // Miniflare polls /json/version until it succeeds, and ignores the body.
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/json/version' ? 200 : 404).end();
  });
  server.on('upgrade', (request, socket, head) => {
    if (request.url !== path) return socket.destroy();
    const target = connect(devToolsSocket);
    const headers = request.rawHeaders.map((each, i) => (i % 2 ? `${each}\r\n` : `${each}: `));
    target.write(`GET ${path} HTTP/1.1\r\n${headers.join('')}\r\n`);
    target.write(head);
    pipeline(socket, target, socket, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
}
