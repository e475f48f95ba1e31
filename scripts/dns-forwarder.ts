import { question } from '@dnsquery/dns-packet';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, isIPv6 } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A DoH server (RFC 8484) on a Unix socket. It forwards the queries of the front to the DNS servers that this
 * machine uses, because a Worker cannot send UDP.
 */
export interface DnsForwarder {
  stop(): Promise<void>;
}

export interface DnsForwarderOptions {
  /** Path of the Unix socket. */
  socket: string;
  /** DNS servers as `dns.getServers()` returns them; by default those of this machine. */
  servers?: string[] | undefined;
}

/** Milliseconds for one query. The Worker's own timeout, 5 s, must be longer. */
const queryTimeoutMs = 4500;
/** Milliseconds without an answer after which the next server is asked too. */
const nextServerAfterMs = 1000;
/** How often each server is asked, because UDP messages may get lost. */
const rounds = 2;
/** Largest number of concurrent queries. Each needs a socket. */
const maxQueries = 500;

const mediaType = 'application/dns-message';

/** Starts a forwarder. Throws when the socket cannot be used. */
export async function startDnsForwarder({
  socket,
  servers,
}: DnsForwarderOptions): Promise<DnsForwarder> {
  let running = 0;
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const query = await buffer(request);
    if (query.length < headerBytes) return response.writeHead(400).end();
    if (running >= maxQueries) return response.writeHead(503).end();
    running++;
    try {
      const message = await forwardQuery(query, servers ?? serversOfThisMachine());
      return response.setHeader('Content-Type', mediaType).end(message);
    } catch (error) {
      console.error((error as Error).message);
      return response.writeHead(504).end();
    } finally {
      running--;
    }
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await once(server.listen(socket), 'listening');
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Reads the configuration of this machine again, since it changes with the network. */
const serversOfThisMachine = () => new Resolver().getServers();

/** Bytes of a DNS message before its question (RFC 1035, 4.1.1). */
const headerBytes = 12;

/** Response codes by which a server says that another server should be asked: SERVFAIL, NOTIMP, REFUSED. */
const otherServerCodes = new Set([2, 4, 5]);

/**
 * Sends a DNS message to servers in turn and returns the first answer. If all servers answer with an error
 * code, returns one of these answers. Throws when no server answers.
 */
export async function forwardQuery(query: Buffer, servers: string[]): Promise<Buffer> {
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(queryTimeoutMs)]);
  const failures = new Set<string>();
  let errorAnswer: Buffer | undefined;

  async function askOne(server: string): Promise<Buffer> {
    const answer = await exchange(query, addressOf(server), signal).catch((error: Error) => {
      failures.add(`${server} (${signal.aborted ? 'timed out' : error.message})`);
      throw error;
    });
    if (!otherServerCodes.has(answer[3]! & 0x0f)) return answer;
    errorAnswer = answer;
    throw new Error('the server answered with an error code');
  }

  async function askInTurn([server, ...others]: string[]): Promise<Buffer> {
    const asked = askOne(server!);
    if (others.length === 0) return asked;
    const tooLong = sleep(nextServerAfterMs, undefined, { signal });
    const early = await Promise.race([asked, tooLong]).catch(() => undefined);
    return early ?? Promise.any([asked, askInTurn(others)]);
  }

  try {
    return await askInTurn(Array.from({ length: rounds }, () => servers).flat());
  } catch {
    if (errorAnswer) return errorAnswer;
    throw new Error(`no DNS server answers: ${[...failures].join(', ')}`);
  } finally {
    ending.abort();
  }
}

interface Address {
  host: string;
  port: number;
}

/**
 * Parses an address with an optional port, in the forms `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1`,
 * `[2001:db8::1]:53`.
 */
function addressOf(server: string): Address {
  const [, host, port] = /^\[?(.+?)\]?(?::(\d+))?$/.exec(server)!;
  return isIPv6(server) ? { host: server, port: 53 } : { host: host!, port: Number(port ?? 53) };
}

/** Sends a query by UDP, and by TCP if the answer is truncated (RFC 1035, 4.2). */
async function exchange(query: Buffer, address: Address, signal: AbortSignal): Promise<Buffer> {
  // A random id and a random port make it hard to forge answers (RFC 5452). DoH queries all have the id 0.
  const sent = Buffer.from(query);
  sent.writeUInt16BE(randomInt(0x1_0000));
  const answer = await byUdp(sent, address, signal);
  const isTruncated = (answer[2]! & 0x02) !== 0;
  const whole = isTruncated ? await byTcp(sent, address, signal) : answer;
  query.copy(whole, 0, 0, 2);
  return whole;
}

async function byUdp(query: Buffer, { host, port }: Address, signal: AbortSignal): Promise<Buffer> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', signal });
  try {
    // Only a connected socket reports that nothing listens at the address.
    socket.connect(port, host);
    await once(socket, 'connect', { signal });
    socket.send(query);
    for (;;) {
      const [message] = (await once(socket, 'message', { signal })) as [Buffer];
      if (isAnswerTo(query, message)) return message;
    }
  } finally {
    if (!signal.aborted) socket.close();
  }
}

/** Sends a query by TCP, where each message follows its length (RFC 1035, 4.2.2). */
async function byTcp(query: Buffer, address: Address, signal: AbortSignal): Promise<Buffer> {
  const socket = connect({ ...address, signal });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.length);
  socket.write(Buffer.concat([length, query]));
  let received = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk]);
    const end = received.length < 2 ? Infinity : 2 + received.readUInt16BE();
    if (received.length < end) continue;
    // Leaving the loop closes the connection.
    const message = received.subarray(2, end);
    if (isAnswerTo(query, message)) return message;
    break;
  }
  throw new Error('no answer by TCP');
}

/** Whether a message is a response with the id and the question of a query. */
function isAnswerTo(query: Buffer, message: Buffer): boolean {
  if (message.length < headerBytes || !(message[2]! & 0x80)) return false;
  if (message.readUInt16BE() !== query.readUInt16BE()) return false;
  try {
    return questionIn(query) === questionIn(message);
  } catch {
    return false; // The question section is empty or malformed.
  }
}

/** Returns the first question of a message as text, in lower case because names have no case (RFC 4343). */
const questionIn = (message: Buffer) =>
  JSON.stringify(question.decode(message, headerBytes)).toLowerCase();
