import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { registryOf, type Registry } from '../../src/account/registry.ts';

const registry = registryOf(env);
/** Makes all links and sessions of the registry expire. */
const age = (milliseconds: number) =>
  runInDurableObject(registry, (_: Registry, { storage }) => {
    storage.sql.exec('UPDATE links SET expires_at = expires_at - ?', milliseconds);
    storage.sql.exec('UPDATE sessions SET expires_at = expires_at - ?', milliseconds);
  });

describe('the registry', () => {
  it('lists an account after its first key or grant, in pages', async () => {
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

  it('accepts a sign-in link once, within a day', async () => {
    const identity = { account: 'someone', operator: true };
    const token = await registry.createLink(identity);
    expect(await registry.useLink(token)).toEqual(identity);
    expect(await registry.useLink(token)).toBeUndefined();
    const late = await registry.createLink(identity);
    await age(24 * 3600_000);
    expect(await registry.useLink(late)).toBeUndefined();
  });

  it('stores no token and no session id in clear text', async () => {
    const identity = { account: 'someone', operator: false };
    const token = await registry.createLink(identity);
    const session = await registry.createSession(identity, 1000);
    const kept = await runInDurableObject(registry, (_: Registry, { storage }) =>
      ['links', 'sessions'].map((table) =>
        JSON.stringify(storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
      ),
    );
    for (const table of kept) {
      expect(table).toContain('someone');
      expect(table).not.toContain(token);
      expect(table).not.toContain(session);
    }
  });

  it('returns a session until it expires or is ended', async () => {
    const identity = { account: 'session-owner', operator: false };
    const [one, two, three] = [
      await registry.createSession(identity, 1000),
      await registry.createSession(identity, 1000),
      await registry.createSession({ account: 'another', operator: true }, 1000),
    ];
    expect(await registry.session(one)).toEqual(identity);
    await registry.endSession(one);
    expect(await registry.session(one)).toBeUndefined();
    expect(await registry.session(two)).toEqual(identity);
    expect(await registry.endSessions('session-owner')).toBe(1);
    expect(await registry.session(two)).toBeUndefined();
    expect(await registry.session(three)).toEqual({ account: 'another', operator: true });
    await age(1000);
    expect(await registry.session(three)).toBeUndefined();
  });

  it('always returns the same session key', async () => {
    const key = await registry.sessionKey();
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(await registry.sessionKey()).toBe(key);
  });
});
