import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { app } from '../../src/http/app.ts';

const ask = (vars: Partial<Env>) =>
  app.request('http://service/.well-known/security.txt', {}, { ...env, ...vars });

it('names the contact in the form of RFC 9116, for less than a year', async () => {
  const answer = await ask({ SECURITY_CONTACT: 'mailto:security@utilities.example' });
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; charset=utf-8$/i);
  const fields = Object.fromEntries(
    (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/: (.*)/)),
  ) as Record<string, string>;
  expect(fields).toMatchObject({
    Contact: 'mailto:security@utilities.example',
    Canonical: 'http://service/.well-known/security.txt',
  });
  const left = Date.parse(fields.Expires!) - Date.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(365 * 24 * 60 * 60_000);
});

it('is not there without a contact', async () => {
  expect((await ask({})).status).toBe(404);
});
