import { describe, expect, it, vi } from 'vitest';
import { keyHolder } from '../../src/account/caller.ts';
import { callerOf, newAccount } from './accounts.ts';

const idle = 1300;
const sleep = (milliseconds: number) => scheduler.wait(milliseconds);

/** Charges a call that succeeds. Throws the error that the caller would get. */
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

  it('settles an idle lease within a second, and leaves nothing lent', async () => {
    const account = await newAccount(1000);
    for (let i = 0; i < 30; i++) await pay(account);
    const { credits, lent, usage } = await settledBalance(account);
    expect({ credits, lent }).toEqual({ credits: 970, lent: 0 });
    expect(usage).toMatchObject([{ tool: 'hash', calls: 30, credits: 30 }]);
  });

  it('returns the remaining credits after each call', async () => {
    const account = await newAccount(100);
    expect((await pay(account)).remaining()).toBe(99);
    expect((await pay(account, 5)).remaining()).toBe(94);
  });

  it('sends few reports under load', async () => {
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
      // The tools run long enough that all calls hold their credits at the same time.
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

  it('refuses none of many concurrent short calls with different prices', async () => {
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

  it('charges nothing for a failed call', async () => {
    const account = await newAccount(100);
    const { caller } = callerOf(account);
    const charge = caller.charge('hash', 5);
    await charge.pending;
    charge.cancel();
    expect(await settledBalance(account)).toMatchObject({ credits: 100, lent: 0, usage: [] });
  });

  it('grants exactly the last credits to many concurrent calls', async () => {
    const account = await newAccount(50);
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => pay(account)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 402 });
    }
    expect(await settledBalance(account)).toMatchObject({ credits: 0, lent: 0 });
  });

  it('allows a call whose account takes longer than a second to answer', async () => {
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

  it('charges a call whose first lease ended while its body arrived', async () => {
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

  it('forgives the charges of a lost report, and serves further calls', async () => {
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
  it('takes effect within one second, also for a caller with a lease', async () => {
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

  it('is noticed by a call that fails for another reason', async () => {
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
