import { expect, it } from 'vitest';
import { reachOf } from '../../src/browser/reach.ts';
import { configuredResolver } from '../../src/resolver/doh.ts';
import { context } from '../tools/run.ts';

const of = (allowed?: string) => reachOf(allowed, context.resolver);
const own = 'http://127.0.0.1:8080/';

it.each([undefined, '', ' ', ',', 'false', '127.0.0.2'])(
  'is the public Internet when ALLOW_PRIVATE_HOSTS is %j',
  async (allowed) => {
    expect(await of(allowed).refusal(own)).toContain('not a public address');
    expect(await of(allowed).refusal('http://example.com/')).toBeUndefined();
    for (const url of [own, 'http://example.com/', undefined]) {
      expect(of(allowed).connectionRefusal(url, 'Loopback')).toContain(
        'not on the public Internet',
      );
      expect(of(allowed).connectionRefusal(url, 'Public')).toBeUndefined();
    }
  },
);

it.each(['true', '127.0.0.1', 'printer.local, 127.0.0.1'])(
  'is also what ALLOW_PRIVATE_HOSTS says: %j',
  async (allowed) => {
    expect(await of(allowed).refusal(own)).toBeUndefined();
    expect(of(allowed).connectionRefusal(own, 'Loopback')).toBeUndefined();
    expect(await of(allowed).refusal('file:///etc/passwd')).toContain('http');
  },
);

it.each(['localhost', 'LOCALHOST', 'localhost.', 'example.com.localhost'])(
  'refuses %s without asking the resolver',
  async (host) => {
    const resolver = configuredResolver({ DOH_URL: 'http://127.0.0.1:9/' });
    const refusal = await reachOf('', resolver).refusal(`http://${host}/`);
    expect(refusal).toContain('whose address 127.0.0.1 is not a public address');
    expect(await reachOf(host.toLowerCase(), resolver).refusal(`http://${host}/`)).toBeUndefined();
  },
);

it('asks the resolver about names that only look like localhost', async () => {
  expect(await of().refusal('http://notlocalhost/')).toContain('has no address');
  expect(await of().refusal('http://localhost.example.com/')).toContain('has no address');
});
