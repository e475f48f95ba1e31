import { decode, encode, TRUNCATED_RESPONSE } from '@dnsquery/dns-packet';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { answerFrom } from './responder.ts';

/** Largest answer by UDP without EDNS (RFC 1035, 4.2.1). */
const maxUdpBytes = 512;

/** Returns a message with another response code. */
export function withCode(message: Buffer, code: number): Buffer {
  message[3] = (message[3]! & 0xf0) | code;
  return message;
}

/** Returns a message without its answers and with the flag TC. */
function truncated(message: Buffer): Uint8Array {
  const packet = decode(message);
  return encode({ ...packet, flags: packet.flags! | TRUNCATED_RESPONSE, answers: [] });
}

export interface DnsServer {
  /** Address and port, as `dns.setServers()` takes them. */
  address: string;
  /** Numbers of the queries by each transport. */
  queries: { udp: number; tcp: number };
  stop(): void;
}

/**
 * Starts a DNS server that speaks UDP and TCP on one port of 127.0.0.1, with the zone of `responder.ts`.
 *
 * @param respond returns the messages that are sent by UDP for the right one; by default the message itself
 */
export async function startDnsServer(
  respond: (message: Buffer) => Buffer[] = (message) => [message],
): Promise<DnsServer> {
  const queries = { udp: 0, tcp: 0 };
  const open = new Set<Socket>();
  const tcp = createServer((socket) => {
    open.add(socket.on('close', () => open.delete(socket)).on('error', () => {}));
    socket.on('data', (chunk) => {
      queries.tcp++;
      const { message } = answerFrom(chunk.subarray(2));
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      // In pieces, because TCP may deliver a message in pieces.
      socket.write(Buffer.concat([length, message.subarray(0, 20)]));
      setImmediate(() => socket.write(message.subarray(20)));
    });
  });
  await once(tcp.listen(0, '127.0.0.1'), 'listening');
  const { port } = tcp.address() as { port: number };
  const udp = createSocket('udp4');
  udp.on('message', (query, { address, port: asker }) => {
    queries.udp++;
    const { message } = answerFrom(query);
    for (const each of respond(message)) {
      udp.send(each.length > maxUdpBytes ? truncated(each) : each, asker, address);
    }
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return {
    address: `127.0.0.1:${port}`,
    queries,
    stop() {
      udp.close();
      tcp.close();
      for (const socket of open) socket.destroy();
    },
  };
}
