import { ServiceError } from '../errors.ts';
import type { Ledger } from './account.ts';
import type { KeyRecord } from './directory.ts';
import * as leases from './lease.ts';

/** The price of one call: held while the tool runs, then spent or given back. */
export interface Charge {
  /** Set while the isolate asks the account for credits. Rejects with 401, 402 or 503. */
  pending?: Promise<void>;
  /**
   * Spends the price, since the call succeeded. Only the first call of `commit` or `cancel` has an effect.
   * Both may be called before `pending` has settled.
   */
  commit(): void;
  /** Gives the price back, since the call failed. */
  cancel(): void;
}

/** The account that pays for a call. */
export interface Caller {
  /** The name of the account; undefined for a caller without a key. */
  readonly account: string | undefined;
  charge(tool: string, credits: number): Charge;
  /**
   * Checks that the key is not revoked; asks the account if its last answer is older than a second. Throws 401.
   */
  verify(): Promise<void>;
  /** The balance in credits after this call, as far as this isolate knows it. */
  remaining(): number | undefined;
}

const doNothing = () => {};

/** A caller without a key, who may call only free tools. */
export const anonymous: Caller = {
  account: undefined,
  charge: () => ({ commit: doNothing, cancel: doNothing }),
  verify: async () => {},
  remaining: () => undefined,
};

/** The leases of this isolate. */
const ownLeases: leases.Leases = new Map();

/**
 * Returns the caller with a given key.
 *
 * @param account returns the account's stub; a function, since most calls need no stub and a stub belongs to
 *   one request
 * @param waitUntil continues work after the answer is sent
 * @param isolate the leases of the isolate in which the call runs; tests simulate several isolates
 */
export function keyHolder(
  key: KeyRecord,
  account: () => Ledger,
  waitUntil: (work: Promise<unknown>) => void,
  isolate = ownLeases,
): Caller {
  let lease = leases.leaseOf(isolate, key.id);
  lease.calls += 1;
  /**
   * The lease that is open now. A lease can be settled while the request's body arrives, and credits taken
   * from a settled lease would never be reported.
   */
  const current = () => (lease = leases.leaseOf(isolate, key.id));

  const background = (work: Promise<unknown>) => waitUntil(work.catch(reportLost));

  /** Makes sure that the lease will be settled: at once if it is given up, else by a keeper once it is idle. */
  function ensureSettlement(lease: leases.Lease) {
    if (!leases.isUsable(lease)) background(leases.settle(lease, account()));
    else if (leases.isUnkept(lease)) background(leases.keep(lease, account()));
  }

  async function ask(lease: leases.Lease, credits: number): Promise<number> {
    if (lease.revoked && leases.isFresh(lease)) throw invalidKey();
    const turn = await leases.renew(lease, account(), credits).catch(accountUnavailable);
    ensureSettlement(lease);
    if (lease.revoked) throw invalidKey();
    if (turn === 0) throw new ServiceError('insufficient_credits', 'insufficient credits');
    return turn;
  }

  return {
    account: key.account,
    charge(tool, credits) {
      if (credits === 0) return { commit: doNothing, cancel: doNothing };
      const from = current();
      let turn = leases.take(from, credits);
      let end: 'commit' | 'cancel' | undefined;
      const finish = (how: 'commit' | 'cancel') => {
        if (end) return;
        end = how;
        if (turn === 0) return;
        if (how === 'commit') leases.spend(from, tool, credits, turn);
        else leases.giveBack(from, credits, turn);
        ensureSettlement(from);
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
  console.error('the account does not answer', cause);
  throw new ServiceError('unavailable', 'the account cannot be reached at the moment; try again', {
    retryAfter: 1,
  });
}

function reportLost(cause: unknown) {
  console.error('a report to the account failed; its charges are forgiven', cause);
}
