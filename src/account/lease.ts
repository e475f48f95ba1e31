import { nanoid } from 'nanoid';
import type { Answer, Ledger, Report, Spent } from './account.ts';
import { learnCalls } from './rate.ts';

/** Milliseconds for which an answer of the account holds: a revoked key is refused after that. */
export const freshFor = 1000;
/** Milliseconds after which a busy isolate asks again, well before the answer goes stale. */
const renewAfter = 700;
/** Milliseconds for which one request looks after a lease: `waitUntil` lasts 30 s at most. */
const keepFor = 20_000;

/**
 * Credits of one key that this isolate may spend without asking, and what it spent of them.
 *
 * Plain numbers only: requests of an isolate share them, while they may not wait for each other's
 * promises. Credits move `free` → `held` (a call runs) → `spent` (it answered) or back to `free`.
 * What the account has set aside is always `free + held + spent`, so reports may overlap: each
 * carries only differences.
 */
export interface Lease {
  readonly id: string;
  readonly key: string;
  free: number;
  held: number;
  spent: Record<string, Spent>;
  /** Charges that the account has not confirmed. */
  unconfirmed: number;
  /** Balance by the account's last answer. */
  balance: number | undefined;
  revoked: boolean;
  freshUntil: number;
  renewAt: number;
  /** Reports under way. */
  pending: number;
  /** Credits taken since `since`, to tell how much the next second will want. */
  taken: number;
  since: number;
  /** Calls not yet reported, for the rate limit. */
  calls: number;
  /** Until then some request comes back to settle. */
  keptUntil: number;
  /** Settled, or lost: nothing is taken from it again. */
  closed: boolean;
}

/** Milliseconds without an answer after which the account may soon take a lease back. */
const abandonedAfter = 15_000;

/** Leases of this isolate by key id. */
const leases = new Map<string, Lease>();

export function leaseOf(key: string): Lease {
  const known = leases.get(key);
  if (known && Date.now() < known.freshUntil + abandonedAfter) return known;
  const lease: Lease = {
    id: nanoid(),
    key,
    free: 0,
    held: 0,
    spent: {},
    unconfirmed: 0,
    balance: undefined,
    revoked: false,
    freshUntil: Date.now(),
    renewAt: 0,
    pending: 0,
    taken: 0,
    since: Date.now(),
    calls: 0,
    keptUntil: 0,
    closed: false,
  };
  leases.set(key, lease);
  return lease;
}

export const isFresh = (lease: Lease) => Date.now() < lease.freshUntil;

/** Moves credits from `free` to `held`, if the lease has them and its last answer still counts. */
export function take(lease: Lease, credits: number): boolean {
  return !lease.closed && isFresh(lease) && hold(lease, credits);
}

function hold(lease: Lease, credits: number): boolean {
  if (lease.revoked || lease.free < credits) return false;
  lease.free -= credits;
  lease.held += credits;
  lease.taken += credits;
  return true;
}

export function spend(lease: Lease, tool: string, credits: number) {
  lease.held -= credits;
  lease.unconfirmed += credits;
  const spent = (lease.spent[tool] ??= { calls: 0, credits: 0 });
  spent.calls += 1;
  spent.credits += credits;
}

export function giveBack(lease: Lease, credits: number) {
  lease.held -= credits;
  lease.free += credits;
}

export const isDue = (lease: Lease) => Date.now() >= lease.renewAt && lease.pending === 0;

/**
 * Reports what was spent and asks for `need` credits, which are held at once when they come; and,
 * unless another report already does, for as much as the coming second will take.
 * Returns whether `need` is held.
 *
 * A lease whose report fails is given up with all its charges: whether the account heard them
 * cannot be known, and nobody pays twice.
 */
export async function renew(lease: Lease, ledger: Ledger, need: number): Promise<boolean> {
  const now = Date.now();
  const ask = { release: 0, need, want: need };
  if (lease.pending === 0) {
    const expected = nextSecond(lease, now);
    ask.want = Math.max(need, expected - lease.free);
    ask.release = Math.max(0, lease.free - 2 * expected);
    lease.free -= ask.release;
  }
  if (now >= lease.renewAt) Object.assign(lease, { taken: 0, since: now });
  const { granted } = await send(lease, ledger, ask);
  lease.free += granted;
  lease.freshUntil = Math.max(lease.freshUntil, now + freshFor);
  lease.renewAt = Math.max(lease.renewAt, now + renewAfter);
  // However long the answer took, it was to this question.
  return hold(lease, need);
}

/** Credits that the coming second will take, by the rate since the last renewal; 0 for a lone call. */
function nextSecond(lease: Lease, now: number): number {
  return Math.ceil((lease.taken * freshFor) / Math.max(now - lease.since, freshFor / 4));
}

/** Reports what was spent and gives the rest back. */
async function close(lease: Lease, ledger: Ledger): Promise<void> {
  forget(lease);
  const release = lease.free;
  lease.free = 0;
  await send(lease, ledger, { release, need: 0, want: 0 });
}

async function send(
  lease: Lease,
  ledger: Ledger,
  ask: Pick<Report, 'release' | 'need' | 'want'>,
): Promise<Answer> {
  const { spent, calls } = lease;
  lease.spent = {};
  lease.calls = 0;
  lease.pending += 1;
  const credits = Object.values(spent).reduce((sum, each) => sum + each.credits, 0);
  try {
    const answer = await ledger.report({ lease: lease.id, key: lease.key, spent, calls, ...ask });
    lease.balance = answer.credits;
    lease.revoked = answer.standing === 'revoked';
    lease.unconfirmed -= credits;
    learnCalls(lease.key, answer.calls + lease.calls);
    return answer;
  } catch (error) {
    forget(lease);
    throw error;
  } finally {
    lease.pending -= 1;
  }
}

function forget(lease: Lease) {
  lease.closed = true;
  if (leases.get(lease.key) === lease) leases.delete(lease.key);
}

/** Whether nobody stays to settle this lease; if so, the one who asks must call {@link keep}. */
export const isUnkept = (lease: Lease) => Date.now() > lease.keptUntil;

/**
 * Stays until the lease was left alone for a second, then settles it. Ends sooner on a busy lease,
 * which a later request keeps in its turn.
 */
export async function keep(lease: Lease, ledger: Ledger): Promise<void> {
  const end = Date.now() + keepFor;
  lease.keptUntil = end - 2 * freshFor;
  while (!lease.closed && Date.now() < end) {
    await scheduler.wait(Math.max(lease.freshUntil - Date.now(), 10));
    if (!isFresh(lease) && !lease.closed) {
      if (lease.held === 0 && lease.pending === 0) return close(lease, ledger);
      if (lease.pending === 0) await renew(lease, ledger, 0);
    }
  }
}
