import { describe, expect, it, vi } from 'vitest';
import { keyHolder } from '../../src/account/caller.ts';
import { callerOf, newAccount } from './accounts.ts';

const idle = 1300;
const sleep = (milliseconds: number) => scheduler.wait(milliseconds);

/** Calls a tool that answers, or throws as a caller would see it. */
async function pay(account: Awaited<ReturnType<typeof newAccount>>, credits = 1) {
  const { caller } = callerOf(account);
  const charge = caller.charge('hash', credits);
  await charge.pending;
  charge.commit();
  return caller;
}

const settledBalance = async ({ stub }: Awaited<ReturnType<typeof newAccount>>) => {
  await sleep(idle);
  return stub.describe();
};

describe('charging', () => {
  it('asks for exactly the price of a first call', async () => {
    const account = await newAccount(1000);
    await pay(account, 5);
    expect(await account.stub.describe()).toMatchObject({ credits: 1000, lent: 5 });
  });

  it('settles within a second of quiet, and leaves nothing lent', async () => {
    const account = await newAccount(1000);
    for (let i = 0; i < 30; i++) await pay(account);
    const { credits, lent, usage } = await settledBalance(account);
    expect({ credits, lent }).toEqual({ credits: 970, lent: 0 });
    expect(usage).toMatchObject([{ tool: 'hash', calls: 30, credits: 30 }]);
  });

  it('says what is left after each call', async () => {
    const account = await newAccount(100);
    expect((await pay(account)).remaining()).toBe(99);
    expect((await pay(account, 5)).remaining()).toBe(94);
  });

  it('asks the account rarely when there is traffic', async () => {
    const account = await newAccount(1_000_000);
    const report = vi.fn<typeof account.stub.report>((...values) => account.stub.report(...values));
    for (let i = 0; i < 500; i++) {
      const caller = keyHolder(
        account.record,
        () => ({ report }) as never,
        () => {},
      );
      const charge = caller.charge('hash', 1);
      await charge.pending;
      charge.commit();
    }
    expect(report.mock.calls.length).toBeLessThan(20);
  });

  it.each([
    [200, 5, 1000],
    [60, 5, 998],
    [100, 1, 100],
  ])(
    'refuses none of %i calls of %i at once that %i credits pay for',
    async (calls, price, credits) => {
      const account = await newAccount(credits);
      // The tools take their time, so that all calls hold their credits at one time.
      await Promise.all(
        Array.from({ length: calls }, async () => {
          const { caller } = callerOf(account);
          const charge = caller.charge('hash', price);
          await charge.pending;
          await sleep(300);
          charge.commit();
        }),
      );
      const { credits: rest } = await settledBalance(account);
      expect(rest).toBe(credits - calls * price);
    },
  );

  it('refuses none of many short calls at once, of several prices', async () => {
    const account = await newAccount(1000);
    await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        await sleep((i * 7) % 40);
        const { caller } = callerOf(account);
        const charge = caller.charge('hash', i % 2 ? 5 : 1);
        await charge.pending;
        await sleep(i % 10);
        charge.commit();
      }),
    );
    expect(await settledBalance(account)).toMatchObject({ credits: 1000 - 900, lent: 0 });
  });

  it('costs nothing when the call fails', async () => {
    const account = await newAccount(100);
    const { caller } = callerOf(account);
    const charge = caller.charge('hash', 5);
    await charge.pending;
    charge.cancel();
    expect(await settledBalance(account)).toMatchObject({ credits: 100, lent: 0, usage: [] });
  });

  it('sells the last credits one by one and not one more, to many at once', async () => {
    const account = await newAccount(50);
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => pay(account)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 402 });
    }
    expect(await settledBalance(account)).toMatchObject({ credits: 0, lent: 0 });
  });

  it('lets a call through whose account takes longer than a second to answer', async () => {
    const account = await newAccount(10);
    const slow = {
      report: async (...values: Parameters<typeof account.stub.report>) => {
        await sleep(1200);
        return account.stub.report(...values);
      },
    };
    const charge = keyHolder(
      account.record,
      () => slow as never,
      () => {},
    ).charge('hash', 1);
    await expect(charge.pending).resolves.toBeUndefined();
  });

  it('charges a call that runs longer than its lease is fresh', async () => {
    const account = await newAccount(100);
    const { caller, background } = callerOf(account);
    const charge = caller.charge('slow', 5);
    await charge.pending;
    await sleep(2500);
    charge.commit();
    await Promise.all(background);
    expect(await account.stub.describe()).toMatchObject({ credits: 95, lent: 0 });
  });

  it('charges a call whose body took longer than the lease of its beginning lasted', async () => {
    const account = await newAccount(100);
    await pay(account);
    const { caller } = callerOf(account);
    await sleep(idle);
    const charge = caller.charge('hash', 1);
    await charge.pending;
    charge.commit();
    expect(caller.remaining()).toBe(98);
    expect(await settledBalance(account)).toMatchObject({ credits: 98, lent: 0 });
  });

  it('forgives the charges of a report that was lost, and goes on', async () => {
    const account = await newAccount(100);
    await pay(account, 3);
    const broken = { report: () => Promise.reject(new Error('gone')) };
    const { caller } = {
      caller: keyHolder(
        account.record,
        () => broken as never,
        () => {},
      ),
    };
    await expect(caller.charge('hash', 50).pending).rejects.toMatchObject({ status: 503 });
    await pay(account, 1);
    const { credits, usage } = await settledBalance(account);
    expect(credits).toBe(100 - usage.reduce((sum, row) => sum + row.credits, 0));
    expect(credits).toBe(99);
  });
});

describe('revocation', () => {
  it('holds within one second, also for one who pays from a lease', async () => {
    const account = await newAccount(1_000_000);
    for (let i = 0; i < 50; i++) await pay(account);
    await account.stub.revokeKey(account.id);
    const revoked = Date.now();
    let lastAnswer = 0;
    while (Date.now() < revoked + 1500) {
      const paid = await pay(account).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ status: 401, message: 'invalid api key' });
          return false;
        },
      );
      if (paid) lastAnswer = Date.now();
      await sleep(5);
    }
    expect(lastAnswer - revoked).toBeLessThanOrEqual(1000);
  });

  it('is found out by a call that would fail anyway', async () => {
    const account = await newAccount(10);
    await account.stub.revokeKey(account.id);
    await expect(callerOf(account).caller.verify()).rejects.toMatchObject({ status: 401 });
  });
});

it('refuses an empty account within a second of its last credit', async () => {
  const account = await newAccount(1);
  await pay(account);
  await expect(pay(account)).rejects.toMatchObject({
    status: 402,
    message: 'insufficient credits',
  });
  await account.stub.grant(account.name, 1);
  await pay(account);
});
