import { describe, expect, it } from 'vitest';
import { recordTypes, type RecordType } from '../../src/resolver/resolver.ts';
import { dnsLookup } from '../../src/tools/dns-lookup.ts';
import { refusal, run } from './run.ts';

const lookup = async (domain: string, ...record_types: RecordType[]) =>
  (await run(dnsLookup, { domain, ...(record_types.length > 0 && { record_types }) })).records;

it('asks for everything unless told otherwise', async () => {
  const { query_time, ...answer } = await run(dnsLookup, { domain: 'example.com' });
  expect(query_time).toMatch(/^\d+ms$/);
  expect(answer).toEqual({
    domain: 'example.com',
    records: {
      A: [{ value: '93.184.215.14' }, { value: '93.184.215.2' }],
      AAAA: [{ value: '2606:2800:21f:cb07:6820:80da:af6b:8b2c' }],
      MX: [
        { value: 'z.example.com', priority: 3 },
        { value: 'A.example.com', priority: 20 },
        { value: 'b.example.com', priority: 20 },
      ],
      NS: [{ value: 'ns1.example.com' }, { value: 'ns2.example.com' }],
      TXT: [{ value: 'a\\255' }, { value: 'grüße 🌍' }, { value: 'v=spf1 -all' }],
      CNAME: [],
    },
  });
});

it('answers with the types asked for and no others', async () => {
  expect(Object.keys(await lookup('example.com', 'TXT', 'A', 'TXT'))).toEqual(['TXT', 'A']);
});

it('takes types in lower case', async () => {
  const { records } = await run(dnsLookup, {
    domain: 'example.com',
    record_types: ['aaaa', 'mx', 'AAAA'],
  });
  expect(records).toEqual(await lookup('example.com', 'AAAA', 'MX'));
});

it.each([
  'https://example.com/x',
  'HTTP://user:password@Example.com:8080?q#f',
  'postgres://example.com/database',
  'wss://example.com.',
])('looks up the host of %s', async (url) => {
  const { domain, records } = await run(dnsLookup, { domain: url, record_types: ['A'] });
  expect(domain).toMatch(/^example\.com\.?$/);
  expect(records).toEqual(await lookup('example.com', 'A'));
});

it('follows aliases, through a server that does not', async () => {
  expect(await lookup('WWW.example.com', 'A', 'MX', 'CNAME')).toEqual({
    A: [{ value: '192.0.2.7' }],
    MX: [],
    CNAME: [{ value: 'Web.example.com' }],
  });
});

it('takes names with a last dot, underscores and letters of every language', async () => {
  expect(await lookup('example.com.', 'AAAA')).toHaveProperty('AAAA.0');
  expect(await lookup('_dmarc.Bücher.example', 'TXT')).toEqual({ TXT: [{ value: 'v=DMARC1' }] });
  expect(await lookup('nomail.example.com', 'MX')).toEqual({ MX: [{ value: '.', priority: 0 }] });
});

it.each(['nothing.example.com', 'broken.example.com', 'constructor'])(
  'has no records for %s',
  async (domain) => {
    expect(await lookup(domain, 'A', 'TXT')).toEqual({ A: [], TXT: [] });
  },
);

describe('a name that cannot be asked for', () => {
  it.each([
    '',
    '.',
    '..',
    'a..b',
    '.example.com',
    'a b.example',
    'https://',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://a b.example/',
    'https://example.com:99999/',
    'mailto:user@example.com',
    'example.com/path',
    'example.com:53',
    'user@example.com',
    'a%2eb',
    '127.0.0.1',
    '2130706433',
    '::1',
    '[::1]',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}b`,
    'a\0b.example',
  ])('is a 422: %j', async (domain) => {
    expect(await refusal(dnsLookup, { domain })).toMatchObject({ status: 422, path: 'domain' });
  });

  it('takes names as long as the system does', async () => {
    expect(await lookup(`${'a'.repeat(63)}.example`, 'A')).toEqual({ A: [] });
    expect(await lookup(`${'a.'.repeat(126)}b`, 'A')).toEqual({ A: [] });
  });

  it('is a 422 with types that there are not', async () => {
    for (const record_types of [[], ['SRV'], 'A', ['']]) {
      const refused = await refusal(dnsLookup, { domain: 'example.com', record_types });
      expect(refused).toMatchObject({ status: 422 });
    }
    expect(recordTypes).toHaveLength(6);
  });
});

describe('a resolver that fails', () => {
  it.each([
    ['servfail.test', 'resolution_failed', 'SERVFAIL'],
    ['refused.test', 'resolution_failed', 'REFUSED'],
    ['cut.test', 'resolution_failed', 'truncated'],
    ['ring.example.com', 'resolution_failed', 'do not end'],
    ['chain0.example.com', 'resolution_failed', 'do not end'],
    ['query.test', 'unavailable', 'did not answer with a DNS message'],
    ['silent.test', 'unavailable', '5 s'],
    ['hangup.test', 'unavailable', 'cannot be reached'],
    ['half.test', 'unavailable', 'did not answer with a DNS message'],
    ['empty.test', 'unavailable', 'did not answer with a DNS message'],
    ['html.test', 'unavailable', 'did not answer with a DNS message'],
    ['error.test', 'unavailable', 'HTTP status 500'],
    ['pointer.test', 'unavailable', 'did not answer with a DNS message'],
  ])('is a 503: %s', async (domain, expectedCode, reason) => {
    const { status, code, message } = await refusal(dnsLookup, { domain, record_types: ['A'] });
    expect({ status, code }).toEqual({ status: 503, code: expectedCode });
    expect(message).toContain(reason);
    expect(message).toContain('nothing was charged');
  });
});
