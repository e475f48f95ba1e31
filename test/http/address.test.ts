import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { addressOf, trustedRanges } from '../../src/http/address.ts';
import type { Variables } from '../../src/http/answer.ts';

const app = new Hono<{ Bindings: Env; Variables: Variables }>().get('/', (c) =>
  c.text(addressOf(c)),
);

/** By which address a request counts. */
async function counted(trusted: string, headers: Record<string, string>): Promise<string> {
  const answer = await app.request('/', { headers }, { TRUSTED_PROXY: trusted } as Env);
  return answer.text();
}

const madeUp = {
  'cf-connecting-ip': '192.0.2.1',
  'x-forwarded-for': '192.0.2.2',
  'x-real-ip': '192.0.2.3',
  'true-client-ip': '192.0.2.4',
  forwarded: 'for=192.0.2.5',
};

it('believes no header where no proxy is trusted', async () => {
  expect(await counted('', madeUp)).toBe('127.0.0.1');
});

describe('behind Cloudflare', () => {
  it('is what its edge says, and nothing else', async () => {
    expect(await counted('cloudflare', madeUp)).toBe('192.0.2.1');
    expect(await counted('cloudflare', { 'x-forwarded-for': '192.0.2.2' })).toBe('unknown');
  });

  it('is a network of IPv6, and an IPv4 address however it is written', async () => {
    const at = (address: string) => counted('cloudflare', { 'cf-connecting-ip': address });
    expect(await at('2001:db8:1:2:3:4:5:6')).toBe(await at('2001:db8:1:2::1'));
    expect(await at('2001:db8:1:2::1')).not.toBe(await at('2001:db8:1:3::1'));
    expect(await at('::ffff:192.0.2.1')).toBe('192.0.2.1');
  });
});

describe('behind proxies of one’s own', () => {
  const at = (trusted: string, forwarded: string) =>
    counted(trusted, { ...madeUp, 'x-forwarded-for': forwarded });

  it('is what the last trusted one says', async () => {
    expect(await at('127.0.0.1', '198.51.100.7')).toBe('198.51.100.7');
    expect(await at('127.0.0.1', '192.0.2.66, 198.51.100.7')).toBe('198.51.100.7');
    expect(await at('127.0.0.1, 10.0.0.0/8', '192.0.2.66, 198.51.100.7, 10.1.2.3')).toBe(
      '198.51.100.7',
    );
    expect(await at('127.0.0.0/8,2001:db8::/32', '198.51.100.7,2001:db8::1')).toBe('198.51.100.7');
  });

  it('is nothing that comes from elsewhere', async () => {
    expect(await at('10.0.0.0/8', '198.51.100.7')).toBe('127.0.0.1');
  });

  it.each(['', 'unknown', '1', '127.1', 'fe80::1%eth0', '198.51.100.7, nonsense', ','])(
    'is the proxy itself where it says %j',
    async (forwarded) => {
      expect(await at('127.0.0.1', forwarded)).toBe('127.0.0.1');
    },
  );
});

it.each(['10.0.0.0/33', 'proxy.example', '127.1', 'cloudflare'])(
  'says that %s is no list of proxies',
  (list) => {
    expect(() => trustedRanges(`127.0.0.1, ${list}`)).toThrow(`TRUSTED_PROXY: "${list}"`);
  },
);
