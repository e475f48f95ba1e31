import { decode, encode, type Answer, type Packet } from '@dnsquery/dns-packet';
import { IPv6 } from 'ipaddr.js';
import { ServiceError, type ErrorCode } from '../errors.ts';
import type { DnsRecord, RecordType, Resolver } from './resolver.ts';

/** Milliseconds for one query. */
const queryTimeoutMs = 5000;
/** CNAMEs to follow before a chain counts as endless. BIND has the same limit. */
const maxAliases = 16;

/** The resolver that is asked when no other one is configured. */
const cloudflareUrl = 'https://cloudflare-dns.com/dns-query';
/** Only the path of this URL matters: a service binding leads to one server. */
const boundUrl = 'http://resolver/dns-query';

/** Returns the resolver at DOH_URL; else the one behind the service binding RESOLVER; else Cloudflare's. */
export function configuredResolver({
  DOH_URL,
  RESOLVER,
}: Pick<Env, 'DOH_URL' | 'RESOLVER'>): Resolver {
  if (DOH_URL) return dohResolver((request) => fetch(DOH_URL, request));
  if (RESOLVER) return dohResolver((request) => RESOLVER.fetch(boundUrl, request));
  return dohResolver((request) => fetch(cloudflareUrl, request));
}

/** Sends a request to a DoH server. */
type Send = (request: RequestInit) => Promise<Response>;

/** Returns a resolver for DNS over HTTPS (RFC 8484). */
function dohResolver(send: Send): Resolver {
  return {
    async resolve(name, type) {
      let owner = keyOf(name);
      for (let hops = 0; hops <= maxAliases;) {
        const answers = await ask(send, owner, type);
        const aliases = type === 'CNAME' ? new Map<string, string>() : aliasesIn(answers);
        let target = owner;
        for (; aliases.has(target) && hops <= maxAliases; hops++) target = aliases.get(target)!;
        const records = answers.filter(
          (answer) => answer.type === type && keyOf(answer.name) === target,
        );
        if (records.length > 0 || target === owner) return records.map(toRecord);
        // The server returned the alias without its target's records, so the target is queried next.
        owner = target;
      }
      throw resolutionFailed(`the CNAMEs of ${name} do not end within ${maxAliases} steps`);
    },
  };
}

/** Sends one query and returns the answer section, which is empty for a name that does not exist. */
async function ask(send: Send, name: string, type: RecordType): Promise<Answer[]> {
  const query = encode({
    // Always 0, so that HTTP caches see equal requests for equal queries (RFC 8484, 4.1).
    id: 0,
    type: 'query',
    flags: 0x0100, // recursion desired
    questions: [{ type, name }],
  });
  const { rcode, answers = [], flag_tc: truncated } = await exchange(send, query, type);
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') {
    throw resolutionFailed(
      `the resolver answered ${rcode} to the query for ${type} records of ${name}`,
    );
  }
  if (truncated) throw resolutionFailed(`the resolver truncated its answer for ${type} of ${name}`);
  return answers;
}

type Message = Packet & { rcode?: string; flag_tc?: boolean };

async function exchange(send: Send, query: Uint8Array, type: RecordType): Promise<Message> {
  const signal = AbortSignal.timeout(queryTimeoutMs);
  let fault = 'the resolver cannot be reached';
  try {
    const response = await send({
      method: 'POST',
      headers: { 'Content-Type': 'application/dns-message', Accept: 'application/dns-message' },
      body: query,
      signal,
    });
    fault =
      faultOfStatus[response.status] ?? `the resolver answered HTTP status ${response.status}`;
    if (!response.ok) throw new Error(`status ${response.status}`);
    fault = 'the resolver did not answer with a DNS message';
    const packet = decode(await response.bytes()) as Message;
    if (packet.type !== 'response') throw new Error('not a response');
    return packet;
  } catch (error) {
    console.error(`the resolver failed for a query of type ${type}: ${(error as Error).message}`);
    throw unavailable(signal.aborted ? 'the resolver took longer than 5 s' : fault);
  }
}

/** Messages for HTTP statuses of a DoH server that has no own answer. */
const faultOfStatus: Record<number, string> = {
  504: 'the DNS servers behind the resolver do not answer',
};

const refusalOf = (code: ErrorCode) => (message: string) =>
  new ServiceError(code, `${message}; nothing was charged`, { retryAfter: 5 });

/** Returns the error for a resolver that gave no DNS message. */
const unavailable = refusalOf('unavailable');
/** Returns the error for a resolver that answered without the records. */
const resolutionFailed = refusalOf('resolution_failed');

/** Removes the trailing dot of a name. The root is the dot alone and stays. */
const withoutDot = (name: string) => (name === '.' ? name : name.replace(/\.$/, ''));

/** Returns a name in the form in which names are compared: without case (RFC 4343). */
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

/** Formats an IPv6 address by RFC 5952; an IPv4-mapped address in dotted form (section 5). */
function canonical(text: string): string {
  const address = IPv6.parse(text);
  if (address.isIPv4MappedAddress()) return `::ffff:${address.toIPv4Address().toString()}`;
  return address.toRFC5952String();
}

/** Joins the strings of a TXT record without separators (RFC 7208, 3.3). */
function textOf(strings: (string | Uint8Array)[]): string {
  const bytes = Buffer.concat(strings.map((string) => Buffer.from(string as Uint8Array)));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: bytes outside of ASCII are escaped as in master files (RFC 1035, 5.1).
    return bytes.toString('latin1').replace(/[^\x20-\x7e]/g, (byte: string) => {
      return `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`;
    });
  }
}
