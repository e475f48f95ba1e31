import { decode, encode, type Answer } from '@dnsquery/dns-packet';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { buffer } from 'node:stream/consumers';

/** The records of each known name. */
const zone = new Map<string, Answer[]>();

function has(name: string, type: Answer['type'], ...data: unknown[]) {
  const answers = data.map((each) => ({ name, type, ttl: 60, data: each }) as Answer);
  zone.set(name, [...(zone.get(name) ?? []), ...answers]);
}

has('example.com', 'A', '93.184.215.14', '93.184.215.2');
has('example.com', 'AAAA', '2606:2800:21f:cb07:6820:80da:af6b:8b2c');
has('example.com', 'MX', { preference: 20, exchange: 'b.example.com' });
has('example.com', 'MX', { preference: 3, exchange: 'z.example.com' });
has('example.com', 'MX', { preference: 20, exchange: 'A.example.com' });
has('example.com', 'NS', 'ns2.example.com', 'ns1.example.com');
has('example.com', 'TXT', ['v=spf1 ', '-all'], Buffer.from('grüße 🌍'), Buffer.from([0x61, 0xff]));
has('nomail.example.com', 'MX', { preference: 0, exchange: '.' });
has('_dmarc.xn--bcher-kva.example', 'TXT', 'v=DMARC1');
has('www.example.com', 'CNAME', 'Web.example.com');
has('web.example.com', 'CNAME', 'cdn.example.net');
has('cdn.example.net', 'A', '192.0.2.7');
// Too many for one message by UDP without EDNS.
has('many.example.com', 'A', ...Array.from({ length: 100 }, (_, i) => `198.51.100.${i}`));
has('broken.example.com', 'CNAME', 'nowhere.example.com');
has('ring.example.com', 'CNAME', 'ring2.example.com');
has('ring2.example.com', 'CNAME', 'ring.example.com');
for (let i = 0; i < 40; i++) has(`chain${i}.example.com`, 'CNAME', `chain${i + 1}.example.com`);
has('loopback.example.com', 'A', '127.0.0.1');
has('loopback6.example.com', 'AAAA', '::1');
// The system's resolver knows the name of this machine from /etc/hosts, with an address of this machine.
has(hostname().toLowerCase(), 'A', '93.184.215.14');
has('mixed.example.com', 'A', '93.184.215.14', '10.0.0.1');

/** Faulty responses by name. */
const faults: Record<string, (response: ServerResponse, answer: Buffer) => void> = {
  'servfail.test': (response, answer) => response.end(withFlags(answer, 0x8182)),
  'refused.test': (response, answer) => response.end(withFlags(answer, 0x8185)),
  'cut.test': (response, answer) => response.end(withFlags(answer, 0x8380)),
  'query.test': (response, answer) => response.end(withFlags(answer, 0x0100)),
  'silent.test': () => {},
  'hangup.test': (response) => response.destroy(),
  'half.test': (response, answer) => response.end(answer.subarray(0, answer.length - 5)),
  'empty.test': (response) => response.end(),
  'html.test': (response) => response.end('<h1>Sign in to the hotel network</h1>'),
  'error.test': (response) => response.writeHead(500).end(),
  // The name in the answer is a compression pointer to itself (RFC 1035, 4.1.4).
  'pointer.test': (response, answer) =>
    response.end(Buffer.concat([answer.subarray(0, 12), Buffer.from('c00c00010001', 'hex')])),
};

function withFlags(answer: Buffer, flags: number): Buffer {
  answer.writeUInt16BE(flags, 2);
  return answer;
}

/** Returns the name in a query, and the answer from the zone above. */
export function answerFrom(query: Uint8Array): { name: string; message: Buffer } {
  const { id, questions } = decode(query);
  const { name, type } = questions![0]!;
  const known = zone.get(name.toLowerCase()) ?? [];
  const found = known.length > 0 || Object.hasOwn(faults, name);
  const message = encode({
    type: 'response',
    id: id!,
    flags: found ? 0x0180 : 0x0183,
    answers: known.filter((answer) => answer.type === type || answer.type === 'CNAME'),
    questions: questions!,
  });
  return { name, message: Buffer.from(message) };
}

/** Starts a resolver that speaks DNS over HTTP. It serves the zone above and the faults. */
export async function startResolver(port = 0) {
  const server = createServer(async (request, response) => {
    const { name, message } = answerFrom(await buffer(request));
    const fault = Object.hasOwn(faults, name) ? faults[name] : undefined;
    const respond = fault ?? ((to, answer) => to.end(answer));
    respond(response.setHeader('Content-Type', 'application/dns-message'), message);
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: chosen } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${chosen}`,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
