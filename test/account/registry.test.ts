import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { registryOf, type Registry } from '../../src/account/registry.ts';

const registry = registryOf(env);
/** Moves everything that the registry remembers into the past. */
const age = (milliseconds: number) =>
  runInDurableObject(registry, (_: Registry, { storage }) => {
    storage.sql.exec('UPDATE links SET expires_at = expires_at - ?', milliseconds);
    storage.sql.exec('UPDATE guesses SET at = at - ?', milliseconds);
  });

describe('the registry', () => {
  it('lists accounts with their first key or grant, in pages', async () => {
    for (const name of ['page-c', 'page-a', 'page-b']) {
      await env.ACCOUNTS.getByName(name).grant(name, 1);
      await env.ACCOUNTS.getByName(name).createKey(name, 'key');
    }
    const ask = (more: object) => registry.accounts({ search: 'PAGE-', ...more });
    expect(await ask({})).toEqual(['page-a', 'page-b', 'page-c']);
    expect(await ask({ limit: 1 })).toEqual(['page-a']);
    expect(await ask({ after: 'page-a' })).toEqual(['page-b', 'page-c']);
    expect(await registry.accounts({ search: "' OR 1=1 --" })).toEqual([]);
  });

  it('lets a link in once, within a day', async () => {
    const identity = { account: 'someone', operator: true };
    const token = await registry.createLink(identity);
    expect(await registry.useLink(token)).toEqual(identity);
    expect(await registry.useLink(token)).toBeUndefined();
    const late = await registry.createLink(identity);
    await age(24 * 3600_000);
    expect(await registry.useLink(late)).toBeUndefined();
  });

  it('keeps no token', async () => {
    const token = await registry.createLink({ account: 'someone', operator: false });
    const kept = await runInDurableObject(registry, (_: Registry, { storage }) =>
      JSON.stringify(storage.sql.exec('SELECT * FROM links').toArray()),
    );
    expect(kept).toContain('someone');
    expect(kept).not.toContain(token);
  });

  it('makes an address wait after ten wrong secrets, for what is left of a quarter of an hour', async () => {
    for (let i = 0; i < 10; i++) expect(await registry.guessed('192.0.2.9', false)).toBe(0);
    expect(await registry.guessed('192.0.2.9', true)).toBeGreaterThan(890);
    expect(await registry.guessed('192.0.2.10', true)).toBe(0);
    await age(15 * 60_000);
    expect(await registry.guessed('192.0.2.9', true)).toBe(0);
  });

  it('has one key for sessions', async () => {
    const key = await registry.sessionKey();
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(await registry.sessionKey()).toBe(key);
  });
});
