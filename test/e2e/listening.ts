import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { resolve } from 'node:path';

interface Listening {
  /** Of TCP: the address as Linux writes it, in hexadecimal. Of a Unix socket: empty. */
  address: string;
  /** Of TCP; of a Unix socket 0. */
  port: number;
  /** Of a Unix socket. */
  path: string;
}

/** `127.0.0.1`, as {@link Listening} has it. */
export const loopback = '0100007F';

/** The sockets at which processes listen, TCP and Unix (proc_net_tcp, proc_net_unix). */
export function listeningOf(pids: number[]): Listening[] {
  const all = new Map<string, Listening>([
    ...tcp('/proc/net/tcp'),
    ...tcp('/proc/net/tcp6'),
    ...unix(),
  ]);
  return pids.flatMap((pid) =>
    inodesOf(pid).flatMap((inode) => {
      const socket = all.get(inode);
      if (!socket) return [];
      const { path } = socket;
      return [{ ...socket, path: path && resolve(readlinkSync(`/proc/${pid}/cwd`), path) }];
    }),
  );
}

const rowsOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));

function tcp(file: string) {
  return rowsOf(file)
    .filter(([, , , state]) => state === '0A')
    .map((row): [inode: string, Listening] => {
      const [address, port] = row[1]!.split(':');
      return [row[9]!, { address: address!, port: Number.parseInt(port!, 16), path: '' }];
    });
}

/** Those with a path that accept connections (`__SO_ACCEPTCON`). */
function unix() {
  return rowsOf('/proc/net/unix')
    .filter(([, , , flags, , , , path]) => path && Number.parseInt(flags!, 16) & 0x10000)
    .map((row): [inode: string, Listening] => [row[6]!, { address: '', port: 0, path: row[7]! }]);
}

function inodesOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    const links = readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`));
    return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  } catch {
    return []; // It has just ended.
  }
}
