import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operator, type Operator } from '../../scripts/operator.ts';
import { startDeployed, type Deployed } from '../../scripts/workerd.ts';
import { print } from '../print.ts';

/** What one account's callers saw. */
interface Seen {
  name: string;
  key: string;
  granted: number;
  /** When each 2xx arrived, in milliseconds. */
  answered: number[];
  /** Calls of which nobody knows whether they were answered: the connection broke. */
  lost: number;
  other: Map<number, number>;
}

const connections = 64;
let service: Deployed;
let admin: Operator;

beforeAll(async () => {
  service = await startDeployed();
  admin = operator(service.url, service.adminSecret);
});
afterAll(() => service?.stop());

async function newAccounts(count: number, credits: number, label: string): Promise<Seen[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const name = `${label}-${i}`;
      const { key } = await admin.createKey(name, 'load');
      const granted = credits + 10 * i;
      await admin.grant(name, granted);
      return { name, key, granted, answered: [], lost: 0, other: new Map() };
    }),
  );
}

/** One call; every tenth is one that the tool refuses. */
async function call(account: Seen, i: number): Promise<void> {
  try {
    const answer = await fetch(`${service.url}/api/hash`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      body: i % 10 === 0 ? '{}' : '{"input":"hello"}',
    });
    await answer.arrayBuffer();
    if (answer.ok) account.answered.push(Date.now());
    else account.other.set(answer.status, (account.other.get(answer.status) ?? 0) + 1);
  } catch {
    account.lost += 1;
    await sleep(20);
  }
}

/** Calls on all accounts in turns, over 64 connections, as long as there is a next one. */
async function callAll(accounts: Seen[], more: (done: number) => boolean): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (more(next)) {
        const i = next++;
        await call(accounts[i % accounts.length]!, Math.floor(i / accounts.length));
      }
    }),
  );
}

/** The books of an account, which have to agree with themselves whatever happens. */
async function booksOf({ name, granted }: Seen) {
  const { credits, usage } = await admin.describe(name);
  const charged = usage.reduce((sum, row) => sum + row.credits, 0);
  expect(credits).toBeGreaterThanOrEqual(0);
  expect(credits).toBe(granted - charged);
  return { credits, charged };
}

it('charges each answer once, for 10,000 calls of 20 accounts that run out of credits', async () => {
  const accounts = await newAccounts(20, 200, 'steady');
  await callAll(accounts, (done) => done < 10_000);
  for (const account of accounts) {
    expect([...account.other.keys()].toSorted()).toEqual([402, 422]);
    expect(account.lost).toBe(0);
    // A second or two, until what is lent has come back.
    await expect
      .poll(async () => (await booksOf(account)).charged, { timeout: 10_000 })
      .toBe(account.answered.length);
    expect(account.answered.length).toBe(account.granted);
  }
});

describe('workerd, killed twenty times at random moments', () => {
  it('forgives at most a second of charges each time, and charges only answered calls', async () => {
    const accounts = await newAccounts(20, 100_000, 'crashing');
    const kills: number[] = [];
    const ending = (async () => {
      for (let i = 0; i < 20; i++) {
        await sleep(300 + Math.random() * 1200);
        kills.push(Date.now());
        await service.crash();
      }
      await sleep(500);
    })();
    let over = false;
    void ending.finally(() => (over = true));
    await callAll(accounts, () => !over);
    await ending;
    await sleep(3000);
    for (const account of accounts) {
      const { charged } = await booksOf(account);
      const { answered, lost } = account;
      // A broken connection may hide an answer.
      expect(charged).toBeLessThanOrEqual(answered.length + lost);
      // What was answered within the second before a kill, and while that was noticed.
      const atRisk = answered.filter((at) =>
        kills.some((kill) => at > kill - 1050 && at < kill + 50),
      );
      expect(answered.length - charged).toBeLessThanOrEqual(atRisk.length);
      expect([...account.other.keys()].filter((status) => ![422].includes(status))).toEqual([]);
    }
    const sum = (count: (account: Seen) => number) => accounts.reduce((n, a) => n + count(a), 0);
    print(`${sum(({ answered }) => answered.length)} answers, ${sum(({ lost }) => lost)} lost`);
  }, 120_000);
});

it('refuses a revoked key on all connections within a second, under load', async () => {
  const [account] = await newAccounts(1, 1_000_000, 'revoked');
  const { keys } = await admin.describe(account!.name);
  let revokedAt = Infinity;
  const revoking = sleep(1500).then(async () => {
    await admin.revokeKey(account!.name, keys[0]!.id);
    revokedAt = Date.now();
  });
  await callAll([account!], () => Date.now() < revokedAt + 2500);
  await revoking;
  expect(account!.answered.length).toBeGreaterThan(100);
  expect(Math.max(...account!.answered) - revokedAt).toBeLessThanOrEqual(1000);
  expect(account!.other.get(401)).toBeGreaterThan(100);
});
