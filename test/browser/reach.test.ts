import { expect, it } from 'vitest';
import { reachOf } from '../../src/browser/reach.ts';
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
