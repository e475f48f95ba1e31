import { ServiceError } from '../errors.ts';
import type { Ledger } from './account.ts';
import type { KeyRecord } from './directory.ts';
import * as leases from './lease.ts';

/** The price of one call: held while the tool runs, then paid or given back. */
export interface Charge {
  /** Set while the account is being asked; rejects with 401 or 402 when it refuses. */
  pending?: Promise<void>;
  /** The call answered: the price is spent. */
  commit(): void;
  /** The call failed: nothing is spent. */
  cancel(): void;
}

/** On whose account a call runs. */
export interface Caller {
  /** Whose it is; undefined for someone without a key. */
  readonly account: string | undefined;
  charge(tool: string, credits: number): Charge;
  /** Makes sure that the key still holds, asking the account if its last answer is a second old. */
  verify(): Promise<void>;
  /** Balance in credits after this call, as far as this isolate knows. */
  remaining(): number | undefined;
}

const nothing = () => {};

/** Someone without a key, who may only use what is free. */
export const anonymous: Caller = {
  account: undefined,
  charge: () => ({ commit: nothing, cancel: nothing }),
  verify: async () => {},
  remaining: () => undefined,
};

/**
 * The owner of a key.
 *
 * @param account gives the account, as this very request may call it; most calls never ask
 * @param waitUntil keeps work going after the answer
 */
export function keyHolder(
  key: KeyRecord,
  account: () => Ledger,
  waitUntil: (work: Promise<unknown>) => void,
): Caller {
  let lease = leases.leaseOf(key.id);
  lease.calls += 1;
  /** While a body comes the lease may be settled, and what is taken from it then, nobody settles. */
  const current = () => (lease = leases.leaseOf(key.id));

  const background = (work: Promise<unknown>) => waitUntil(work.catch(reportLost));

  async function ask(lease: leases.Lease, credits: number) {
    if (lease.revoked && leases.isFresh(lease)) throw invalidKey();
    const got = await leases.renew(lease, account(), credits).catch(accountUnavailable);
    if (leases.isUnkept(lease)) background(leases.keep(lease, account()));
    if (lease.revoked) throw invalidKey();
    if (!got) throw new ServiceError('insufficient_credits', 'insufficient credits');
  }

  return {
    account: key.account,
    charge(tool, credits) {
      if (credits === 0) return { commit: nothing, cancel: nothing };
      const from = current();
      let held = leases.take(from, credits);
      const pending = held ? undefined : ask(from, credits).then(() => void (held = true));
      if (held && leases.isDue(from)) background(leases.renew(from, account(), 0));
      return {
        ...(pending && { pending }),
        commit() {
          leases.spend(from, tool, credits);
          if (leases.isUnkept(from)) background(leases.keep(from, account()));
        },
        cancel() {
          if (held) leases.giveBack(from, credits);
        },
      };
    },
    async verify() {
      if (!leases.isFresh(current())) await ask(lease, 0);
      if (lease.revoked) throw invalidKey();
    },
    remaining: () => (lease.balance === undefined ? undefined : lease.balance - lease.unconfirmed),
  };
}

const invalidKey = () => new ServiceError('invalid_api_key', 'invalid api key');

function accountUnavailable(cause: unknown): never {
  console.error('account does not answer', cause);
  throw new ServiceError('unavailable', 'the account cannot be reached just now; try again', {
    retryAfter: 1,
  });
}

function reportLost(cause: unknown) {
  console.error('a report to an account was lost; its charges are forgiven', cause);
}
