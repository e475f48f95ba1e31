import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { recordTypes, type DnsRecord } from '../../src/resolver/resolver.ts';
import { startDnsServer, type DnsServer } from '../resolver/dns-server.ts';
import { post } from './call.ts';
import { startOwnService } from './service.ts';
import { print } from '../print.ts';

const named = ['/usr/sbin/named', 'named'].find((path) => spawnSync(path, ['-v']).status === 0);
const installed = named !== undefined && spawnSync('dig', ['-v']).status === 0;
if (!installed) print('skipped: comparing DNS answers with dig, since BIND is not installed');

const zone = `$ORIGIN zone.test.
$TTL 60
@ SOA ns1 hostmaster 1 3600 600 86400 60
@ NS ns1
@ NS ns2.elsewhere.test.
@ A 192.0.2.1
@ A 192.0.2.2
@ AAAA 2001:db8::1
@ AAAA 2001:db8:0:0:1::
@ MX 10 mail
@ MX 5 Mail2
@ MX 10 mail.other.test.
@ TXT "v=spf1 include:other.test" " -all"
@ TXT "with \\"quotes\\" and \\\\"
@ TXT ""
ns1 A 127.0.0.1
mail A 192.0.2.25
www CNAME alias
alias CNAME target
target A 192.0.2.80
target AAAA ::ffff:192.0.2.80
out CNAME away.other.test.
dangling CNAME nothing
*.wild TXT "anything"
_sip._tcp TXT "under_score"
xn--bcher-kva A 192.0.2.66
long TXT "${'x'.repeat(255)}" "${'y'.repeat(255)}" "${'z'.repeat(100)}"
nomail MX 0 .
${Array.from({ length: 100 }, (_, i) => `many A 198.51.100.${i}`).join('\n')}
`;

const other = `$ORIGIN other.test.
$TTL 60
@ SOA ns1 hostmaster 1 3600 600 86400 60
@ NS ns1
ns1 A 127.0.0.1
away A 192.0.2.99
`;

/** Brings HTTP/1.1, which workerd speaks to plain addresses, to the HTTP/2 that BIND's listener wants. */
async function bridge(origin: string) {
  const session = connect(origin);
  const server = createServer((request, response) => {
    const { 'content-type': type, 'content-length': length, accept } = request.headers;
    const stream = session.request({
      ':method': 'POST',
      ':path': request.url!,
      'content-type': type!,
      'content-length': length!,
      accept: accept!,
    });
    stream.on('response', (headers) => response.writeHead(headers[':status']!));
    request.pipe(stream).pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/dns-query`,
    stop() {
      server.closeAllConnections();
      server.close();
      session.destroy();
    },
  };
}

/** Records as \`dig +short\` prints them, in the shape and order of our answer. */
function asDig(type: string, records: DnsRecord[]): string[] {
  const dotted = (name: string) => (name === '.' ? name : `${name}.`);
  return records
    .map(({ value, priority }) => {
      if (type === 'MX') return `${priority} ${dotted(value)}`;
      return type === 'NS' || type === 'CNAME' ? dotted(value) : value;
    })
    .toSorted();
}

interface Answer {
  message?: string;
  records: Record<string, DnsRecord[]>;
}

describe.runIf(installed)('answers as dig does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'named-'));
  let server: ChildProcess;
  let service: Awaited<ReturnType<typeof startOwnService>>;
  let front: Awaited<ReturnType<typeof bridge>>;
  let port: number;

  /** What dig prints for one type, aliases on the way left out, the strings of a text joined. */
  function dig(name: string, type: string): string[] {
    const args = ['@127.0.0.1', '-p', String(port), '+noall', '+answer', '+idnin', name, type];
    const lines = execFileSync('dig', args, { encoding: 'utf8' }).split('\n');
    return lines
      .map((line) => /^\S+\s+\d+\s+IN\s+(\w+)\s+(.*)$/.exec(line))
      .filter((match) => match?.[1] === type)
      .map((match) => (type === 'TXT' ? unquoted(match![2]!) : match![2]!))
      .toSorted();
  }

  const unquoted = (text: string) =>
    [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, s]) => s!.replace(/\\(.)/g, '$1')).join('');

  const lookup = (domain: string, record_types: readonly string[] = recordTypes) =>
    post('dns-lookup', { domain, record_types }, service.key, service.url);

  beforeAll(async () => {
    port = await freePort();
    const doh = await freePort();
    writeFileSync(join(folder, 'zone'), zone);
    writeFileSync(join(folder, 'other'), other);
    // A secondary whose primary is nowhere has nothing to say: SERVFAIL.
    writeFileSync(
      join(folder, 'named.conf'),
      `http plain { endpoints { "/dns-query"; }; };
options {
  directory "${folder}"; pid-file none; session-keyfile "${folder}/session.key";
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  listen-on port ${doh} tls none http plain { 127.0.0.1; };
  recursion no; dnssec-validation no; minimal-responses yes; allow-query { any; };
};
controls { };
zone "zone.test" { type primary; file "zone"; };
zone "other.test" { type primary; file "other"; };
zone "broken.test" { type secondary; primaries { 127.0.0.1 port 9; }; };`,
    );
    server = spawn(named!, ['-g', '-c', join(folder, 'named.conf')], { stdio: 'ignore' });
    await vi.waitFor(
      () => execFileSync('dig', ['@127.0.0.1', '-p', String(port), '+time=1']),
      20_000,
    );
    front = await bridge(`http://127.0.0.1:${doh}`);
    service = await startOwnService({ DOH_URL: front.url });
  });

  afterAll(async () => {
    await service?.stop();
    front?.stop();
    server.kill('SIGTERM');
    await Promise.race([once(server, 'exit'), sleep(5000)]);
    rmSync(folder, { recursive: true });
  });

  it.each([
    'zone.test',
    'ZONE.test.',
    'ns1.zone.test',
    'www.zone.test',
    'alias.zone.test',
    'target.zone.test',
    'dangling.zone.test',
    'a.b.wild.zone.test',
    '_sip._tcp.zone.test',
    'bücher.zone.test',
    'long.zone.test',
    'many.zone.test',
    'nomail.zone.test',
    'missing.zone.test',
  ])('about %s', async (name) => {
    const { message, records } = (await (await lookup(name)).json()) as Answer;
    expect(message).toBeUndefined();
    const ours = Object.entries(records).map(([type, found]) => [type, asDig(type, found)]);
    expect(Object.fromEntries(ours)).toEqual(
      Object.fromEntries(recordTypes.map((type) => [type, dig(name, type)])),
    );
  });

  it('about the target of an alias that the resolver does not follow', async () => {
    const { records } = (await (await lookup('out.zone.test')).json()) as Answer;
    expect(asDig('CNAME', records.CNAME!)).toEqual(dig('out.zone.test', 'CNAME'));
    expect(asDig('A', records.A!)).toEqual(dig('away.other.test', 'A'));
  });

  it.each(['broken.test', 'unknown.invalid'])('503 when the server fails at %s', async (name) => {
    expect(dig(name, 'A')).toEqual([]);
    expect((await lookup(name)).status).toBe(503);
  });

  it('503 when the server does not answer', async () => {
    server.kill('SIGSTOP');
    const answer = await lookup('zone.test', ['A']);
    server.kill('SIGCONT');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      message: expect.stringContaining('5 s') as string,
    });
    expect(answer.headers.get('X-Credits-Cost')).toBe('0');
  });
});

describe('a service without DOH_URL', () => {
  let server: DnsServer;
  let service: Awaited<ReturnType<typeof startOwnService>>;

  const lookup = async (domain: string, ...record_types: string[]) => {
    const answer = await post('dns-lookup', { domain, record_types }, service.key, service.url);
    return { status: answer.status, ...((await answer.json()) as object) };
  };

  beforeAll(async () => {
    server = await startDnsServer();
    service = await startOwnService({ DOH_URL: '' }, { dnsServers: [server.address] });
  });
  afterAll(() => service?.stop());

  it("asks this machine's DNS servers, by UDP and TCP", async () => {
    const node = new Resolver();
    node.setServers([server.address]);
    expect(await lookup('https://cdn.example.net/x', 'a')).toMatchObject({
      status: 200,
      domain: 'cdn.example.net',
      records: { A: [{ value: (await node.resolve4('cdn.example.net'))[0] }] },
    });
    const many = (await node.resolve4('many.example.com')).toSorted();
    expect(await lookup('many.example.com', 'A')).toMatchObject({
      records: { A: many.map((value) => ({ value })) },
    });
    expect(server.queries.tcp).toBeGreaterThanOrEqual(2);
    expect(await lookup('nothing.example.com', 'TXT')).toMatchObject({ records: { TXT: [] } });
  });

  it('503 when they do not answer', async () => {
    server.stop();
    expect(await lookup('example.com', 'A')).toMatchObject({
      status: 503,
      code: 'unavailable',
      message: expect.stringContaining(
        'the DNS servers behind the resolver do not answer',
      ) as string,
    });
  });
});
