import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { Account, Report } from '../../src/account/account.ts';
import { hashKey } from '../../src/account/key.ts';
import { newAccount } from './accounts.ts';

const report = (key: string, more: Partial<Report> = {}): Report => ({
  lease: 'lease',
  key,
  spent: {},
  release: 0,
  need: 0,
  want: 0,
  calls: 0,
  ...more,
});

describe('leases', () => {
  it('grants `want` while the balance is large, and leaves the balance unchanged', async () => {
    const { stub, id } = await newAccount(1000);
    expect(await stub.report(report(id, { need: 1, want: 100 }))).toMatchObject({
      granted: 100,
      credits: 1000,
    });
    expect(await stub.describe()).toMatchObject({ credits: 1000, lent: 100 });
  });

  it('grants `need` while the balance is small, and nothing when it is too small', async () => {
    const { stub, id } = await newAccount(10);
    expect(await stub.report(report(id, { need: 1, want: 100 }))).toMatchObject({ granted: 1 });
    expect(await stub.report(report(id, { need: 9, want: 9 }))).toMatchObject({ granted: 9 });
    expect(await stub.report(report(id, { need: 1, want: 1 }))).toMatchObject({ granted: 0 });
  });

  it('charges spent credits, takes back released ones, and counts usage by day and tool', async () => {
    const { stub, id } = await newAccount(1000);
    await stub.report(report(id, { need: 1, want: 50 }));
    const spent = { hash: { calls: 3, credits: 3 }, screenshot: { calls: 2, credits: 10 } };
    expect(await stub.report(report(id, { spent, release: 30 }))).toMatchObject({ credits: 987 });
    const day = new Date().toISOString().slice(0, 10);
    expect(await stub.describe()).toMatchObject({
      lent: 7,
      usage: [
        { day, tool: 'hash', calls: 3, credits: 3 },
        { day, tool: 'screenshot', calls: 2, credits: 10 },
      ],
    });
  });

  const takenBack = async (credits: number) => {
    const account = await newAccount(credits);
    await account.stub.report(report(account.id, { need: 5, want: 5 }));
    await runInDurableObject(account.stub, (_: Account, state) =>
      state.storage.sql.exec('UPDATE leases SET expires_at = 1'),
    );
    return account;
  };
  const late = { hash: { calls: 5, credits: 5 } };

  it('expires a lease without reports, and still charges a late report', async () => {
    const { stub, id } = await takenBack(100);
    expect(await stub.report(report(id, { spent: late, release: 1 }))).toMatchObject({
      credits: 95,
    });
    expect(await stub.describe()).toMatchObject({ credits: 95, lent: 0, usage: [{ credits: 5 }] });
  });

  it('forgives late charges whose credits are lent to other leases', async () => {
    const { stub, id } = await takenBack(8);
    await stub.report(report(id, { lease: 'other', need: 4, want: 4 }));
    expect(await stub.report(report(id, { spent: late }))).toMatchObject({ credits: 4 });
    expect(await stub.describe()).toMatchObject({
      credits: 4,
      lent: 4,
      usage: [{ calls: 4, credits: 4 }],
    });
  });

  it('charges a late report of a renewed lease from credits that no other lease holds', async () => {
    const { stub, id } = await takenBack(20);
    await stub.report(report(id, { need: 3, want: 3 }));
    await stub.report(report(id, { lease: 'other', need: 7, want: 7 }));
    const spent = {
      hash: { calls: 3, credits: 3 },
      screenshot: { calls: 3, credits: 15 },
      diff: { calls: 2, credits: 2 },
    };
    expect(await stub.report(report(id, { spent }))).toMatchObject({ credits: 7 });
    const day = new Date().toISOString().slice(0, 10);
    expect(await stub.describe()).toMatchObject({
      credits: 7,
      lent: 7,
      usage: [
        { day, tool: 'hash', calls: 3, credits: 3 },
        { day, tool: 'screenshot', calls: 2, credits: 10 },
      ],
    });
  });

  it('does not count an expired lease as lent', async () => {
    const { stub } = await takenBack(8);
    expect(await stub.describe()).toMatchObject({ credits: 8, lent: 0 });
  });

  it('counts the calls of a minute over all leases', async () => {
    const minute = () => Math.floor(Date.now() / 60_000);
    let total: number | undefined;
    while (total === undefined) {
      const { stub, id } = await newAccount(1);
      const begun = minute();
      await stub.report(report(id, { lease: 'a', calls: 3 }));
      const { calls } = await stub.report(report(id, { lease: 'b', calls: 4 }));
      // A new minute between the reports would start a new count.
      if (minute() === begun) total = calls;
    }
    expect(total).toBe(7);
  });
});

describe('keys', () => {
  it('stores only the hash of a key, under which KV has the account', async () => {
    const { stub, key, id, name } = await newAccount(0);
    expect(await env.KEYS.get(`key:${hashKey(key)}`, 'json')).toEqual({ account: name, id });
    const stored = await runInDurableObject(stub, (_: Account, state) =>
      JSON.stringify(state.storage.sql.exec('SELECT * FROM keys').toArray()),
    );
    expect(stored).not.toContain(key.slice(12));
  });

  it('grants nothing to a revoked key, charges its last report, and deletes it from KV', async () => {
    const { stub, key, id } = await newAccount(100);
    await stub.report(report(id, { need: 10, want: 10 }));
    expect(await stub.revokeKey(id)).toBe(true);
    const spent = { hash: { calls: 4, credits: 4 } };
    const answer = await stub.report(report(id, { spent, need: 1, want: 1 }));
    expect(answer).toMatchObject({ standing: 'revoked', granted: 0, credits: 96 });
    expect(await env.KEYS.get(`key:${hashKey(key)}`)).toBeNull();
  });

  it('refuses unknown keys', async () => {
    const { stub } = await newAccount(100);
    expect(await stub.revokeKey('nobody')).toBe(false);
    expect(await stub.report(report('nobody', { need: 1, want: 1 }))).toMatchObject({
      standing: 'revoked',
      granted: 0,
    });
  });

  it('stores the last use of a key to the minute', async () => {
    const { stub, id } = await newAccount(100);
    expect((await stub.describe()).keys[0]).toMatchObject({ last_used_at: null });
    await stub.report(report(id, { calls: 1 }));
    expect((await stub.describe()).keys[0]!.last_used_at).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe('an account', () => {
  it('has the granted credits less the used ones, and lists the grants with their giver', async () => {
    const { name, stub, id } = await newAccount(100);
    await stub.grant(name, 50, 'ada');
    await stub.report(report(id, { need: 10, want: 10 }));
    await stub.report(report(id, { spent: { hash: { calls: 4, credits: 4 } }, release: 6 }));
    const { credits, grants, usage } = await stub.describe();
    expect(grants.map((grant) => [grant.credits, grant.by])).toEqual(
      expect.arrayContaining([
        [100, 'the operator'],
        [50, 'ada'],
      ]),
    );
    const sum = (rows: { credits: number }[]) => rows.reduce((all, row) => all + row.credits, 0);
    expect(credits).toBe(sum(grants) - sum(usage));
  });

  it('has at most a hundred keys that are not revoked', async () => {
    const { name, stub, id } = await newAccount(0);
    for (let i = 1; i < 100; i++) expect(await stub.createKey(name, 'more')).toBeDefined();
    expect(await stub.createKey(name, 'too many')).toBeUndefined();
    await stub.revokeKey(id);
    expect(await stub.createKey(name, 'in its place')).toBeDefined();
  });
});
