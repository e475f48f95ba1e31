import { decode, encode, type Answer, type Packet } from '@dnsquery/dns-packet';
import { IPv6 } from 'ipaddr.js';
import { ServiceError } from '../errors.ts';
import type { DnsRecord, RecordType, Resolver } from './resolver.ts';

/** Milliseconds for one question. */
const patience = 5000;
/** Aliases to follow before a chain counts as endless; BIND stops at 16 too. */
const longestChain = 16;

/** DNS over HTTPS in wire format (RFC 8484). @param url such as `https://cloudflare-dns.com/dns-query` */
export function dohResolver(url: string): Resolver {
  return {
    async resolve(name, type) {
      let owner = keyOf(name);
      for (let hops = 0; hops <= longestChain;) {
        const answers = await ask(url, owner, type);
        const aliases = type === 'CNAME' ? new Map<string, string>() : aliasesIn(answers);
        let target = owner;
        for (; aliases.has(target) && hops <= longestChain; hops++) target = aliases.get(target)!;
        const records = answers.filter(
          (answer) => answer.type === type && keyOf(answer.name) === target,
        );
        if (records.length > 0 || target === owner) return records.map(toRecord);
        // A server that does not know the alias's zone leaves the rest to us.
        owner = target;
      }
      throw unavailable(`the aliases of ${name} do not end`);
    },
  };
}

/** One question; the answer section. An answer that there is no such name has an empty one. */
async function ask(url: string, name: string, type: RecordType): Promise<Answer[]> {
  const query = encode({
    // RFC 8484, 4.1: always 0, so that equal questions are equal requests.
    id: 0,
    type: 'query',
    flags: 0x0100, // recursion desired
    questions: [{ type, name }],
  });
  const { rcode, answers = [], flag_tc: truncated } = await exchange(url, query, type);
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') {
    throw unavailable(`the resolver answered ${rcode} when asked for ${type} of ${name}`);
  }
  if (truncated) throw unavailable(`the resolver cut its answer to ${type} of ${name} short`);
  return answers;
}

type Response = Packet & { rcode?: string; flag_tc?: boolean };

async function exchange(url: string, query: Uint8Array, type: RecordType): Promise<Response> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/dns-message', Accept: 'application/dns-message' },
      body: query,
      signal: AbortSignal.timeout(patience),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const packet = decode(await response.bytes()) as Response;
    if (packet.type !== 'response') throw new Error('not a response');
    return packet;
  } catch (error) {
    console.error(`resolver failed at ${type}`, error);
    const late = error instanceof Error && error.name === 'TimeoutError';
    throw unavailable(
      late ? 'the resolver took longer than 5 s' : 'the resolver gave no usable answer',
    );
  }
}

const unavailable = (message: string) =>
  new ServiceError('unavailable', `${message}; nothing was charged`, { retryAfter: 5 });

/** A name without its last dot; the root is the dot alone. */
const withoutDot = (name: string) => (name === '.' ? name : name.replace(/\.$/, ''));

/** For comparing: names are the same whatever their case (RFC 4343). */
const keyOf = (name: string) => withoutDot(name).toLowerCase();

function aliasesIn(answers: Answer[]): Map<string, string> {
  const aliases = answers.filter((answer) => answer.type === 'CNAME');
  return new Map(aliases.map((alias) => [keyOf(alias.name), keyOf(String(alias.data))]));
}

function toRecord(answer: Answer): DnsRecord {
  switch (answer.type) {
    case 'MX':
      return { value: withoutDot(answer.data.exchange), priority: answer.data.preference ?? 0 };
    case 'TXT':
      return { value: textOf([answer.data].flat()) };
    case 'NS':
    case 'CNAME':
      return { value: withoutDot(answer.data) };
    case 'AAAA':
      return { value: canonical(answer.data) };
    default:
      return { value: String(answer.data) };
  }
}

/** An IPv6 address as RFC 5952 writes it, an IPv4 one that it contains in dots (section 5). */
function canonical(text: string): string {
  const address = IPv6.parse(text);
  if (address.isIPv4MappedAddress()) return `::ffff:${address.toIPv4Address().toString()}`;
  return address.toRFC5952String();
}

/** The strings of a TXT record as one text (RFC 7208, 3.3, and every other user of them). */
function textOf(strings: (string | Uint8Array)[]): string {
  const bytes = Buffer.concat(strings.map((string) => Buffer.from(string as Uint8Array)));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Bytes that are no text are written as master files write them (RFC 1035, 5.1).
    return bytes.toString('latin1').replace(/[^\x20-\x7e]/g, (byte: string) => {
      return `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`;
    });
  }
}
