import { ServiceError } from '../errors.ts';
import type { Ledger } from './account.ts';
import type { KeyRecord } from './directory.ts';
import * as leases from './lease.ts';

/** The price of one call: held while the tool runs, then paid or given back. */
export interface Charge {
  /** Set while the account is being asked; rejects with 401 or 402 when it refuses. */
  pending?: Promise<void>;
  /**
   * The call answered: the price is spent. The first of `commit` and `cancel` counts, and either
   * may come before `pending` has settled.
   */
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

/** Leases of this isolate. */
const ownLeases: leases.Leases = new Map();

/**
 * The owner of a key.
 *
 * @param account gives the account, as this very request may call it; most calls never ask
 * @param waitUntil keeps work going after the answer
 * @param isolate leases of the isolate in which the call runs
 */
export function keyHolder(
  key: KeyRecord,
  account: () => Ledger,
  waitUntil: (work: Promise<unknown>) => void,
  isolate = ownLeases,
): Caller {
  let lease = leases.leaseOf(isolate, key.id);
  lease.calls += 1;
  /** While a body comes the lease may be settled, and what is taken from it then, nobody settles. */
  const current = () => (lease = leases.leaseOf(isolate, key.id));

  const background = (work: Promise<unknown>) => waitUntil(work.catch(reportLost));

  /** Has the lease settled when it is left alone; at once, when it is given up. */
  function haveSettled(lease: leases.Lease) {
    if (!leases.isUsable(lease)) background(leases.settle(lease, account()));
    else if (leases.isUnkept(lease)) background(leases.keep(lease, account()));
  }

  async function ask(lease: leases.Lease, credits: number): Promise<number> {
    if (lease.revoked && leases.isFresh(lease)) throw invalidKey();
    const turn = await leases.renew(lease, account(), credits).catch(accountUnavailable);
    haveSettled(lease);
    if (lease.revoked) throw invalidKey();
    if (turn === 0) throw new ServiceError('insufficient_credits', 'insufficient credits');
    return turn;
  }

  return {
    account: key.account,
    charge(tool, credits) {
      if (credits === 0) return { commit: nothing, cancel: nothing };
      const from = current();
      let turn = leases.take(from, credits);
      let end: 'commit' | 'cancel' | undefined;
      const finish = (how: 'commit' | 'cancel') => {
        if (end) return;
        end = how;
        if (turn === 0) return;
        if (how === 'commit') leases.spend(from, tool, credits, turn);
        else leases.giveBack(from, credits, turn);
        haveSettled(from);
      };
      const charge: Charge = { commit: () => finish('commit'), cancel: () => finish('cancel') };
      if (turn === 0) {
        charge.pending = ask(from, credits).then((given) => {
          turn = given;
          const early = end;
          end = undefined;
          if (early) finish(early);
        });
      } else if (leases.isDue(from)) background(leases.renew(from, account(), 0));
      return charge;
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
