import { nanoid } from 'nanoid';
import type { Answer, Ledger, Report, Spent } from './account.ts';
import { learnCalls } from './rate.ts';

/** Milliseconds for which an answer of the account holds: a revoked key is refused after that. */
const freshForMs = 1000;
/** Milliseconds after which a busy isolate asks again, well before the answer goes stale. */
const renewAfterMs = 700;
/**
 * Milliseconds after which a report without an answer counts as lost, and after which a lease
 * without a report is not asked for again. Both together are less than the account waits (30 s)
 * before the lease expires: what an answer grants is never of an expired lease.
 */
const answerWithinMs = 10_000;
/**
 * Milliseconds for which credits are held at least. Twice as long, and they are free again: the
 * request has been cancelled, and neither paid nor gave back.
 */
const holdForMs = 30_000;
/** Milliseconds for which one request looks after a lease: `waitUntil` lasts 30 s at most. */
const keepForMs = 20_000;
/** Milliseconds between two looks at a lease that waits for its last calls or answers. */
const lookAgainAfterMs = 250;
/** Times that one call asks, when what it was to get was on its way elsewhere. */
const mostRounds = 3;

/** Leases of one isolate by key id. */
export type Leases = Map<string, Lease>;

/**
 * Credits of one key that this isolate may spend without asking, and what it spent of them. The
 * states are drawn in storage-schema.md.
 *
 * Plain numbers only: requests of an isolate share them, while they may not wait for each other's
 * promises. What the account has set aside is always `free + held + heldBefore + spent` and what
 * is in reports under way, so reports may overlap: each carries only differences.
 */
export interface Lease {
  readonly id: string;
  readonly key: string;
  readonly among: Leases;
  free: number;
  /** Credits of running calls that began in this turn, and in the turn before. */
  held: number;
  heldBefore: number;
  /** Counts from 1; each lasts {@link holdForMs}. */
  turn: number;
  turnEndsAt: number;
  spent: Record<string, Spent>;
  /** Charges that the account has not confirmed. */
  unconfirmed: number;
  /** Balance by the account's last answer. */
  balance: number | undefined;
  /** Once and for all. */
  revoked: boolean;
  /** When the question was asked to which the newest answer came. */
  askedAt: number;
  /** Until then a renewal is under way. */
  renewingUntil: number;
  /** Reports under way by the time they were sent, oldest first. */
  readonly pending: Set<{ sentAt: number }>;
  /** Credits that reports under way give back. */
  returning: number;
  /** Credits taken since `since`, to tell how much the next second will want. */
  taken: number;
  since: number;
  /** Calls not yet reported, for the rate limit. */
  calls: number;
  /** Until then some request comes back to settle. */
  keptUntil: number;
  /** Settled, or lost with a report. */
  closed: boolean;
}

export function leaseOf(leases: Leases, key: string): Lease {
  const known = leases.get(key);
  return known && isUsable(known) ? known : openLease(leases, key);
}

function openLease(among: Leases, key: string): Lease {
  const now = Date.now();
  const lease: Lease = {
    id: nanoid(),
    key,
    among,
    free: 0,
    held: 0,
    heldBefore: 0,
    turn: 1,
    turnEndsAt: now + holdForMs,
    spent: {},
    unconfirmed: 0,
    balance: undefined,
    revoked: false,
    askedAt: now - freshForMs,
    renewingUntil: 0,
    pending: new Set(),
    returning: 0,
    taken: 0,
    since: now,
    calls: 0,
    keptUntil: 0,
    closed: false,
  };
  among.set(key, lease);
  return lease;
}

export const isFresh = (lease: Lease) => Date.now() < lease.askedAt + freshForMs;

/** Whether more may be asked for under this lease: else it is given up, and calls open another. */
export function isUsable({ closed, askedAt, pending }: Lease): boolean {
  if (closed) return false;
  const now = Date.now();
  return now < askedAt + answerWithinMs && (pending.size === 0 || !hasLost(pending, now));
}

function hasLost(pending: Lease['pending'], now: number): boolean {
  const [oldest] = pending;
  return now >= oldest!.sentAt + answerWithinMs;
}

/**
 * Moves credits from `free` to `held`, if the lease has them and its last answer still counts.
 * Returns the turn in which they are held; 0 when they are not.
 */
export function take(lease: Lease, credits: number): number {
  const turn = isFresh(lease) ? hold(lease, credits) : 0;
  if (turn > 0) lease.taken += credits;
  return turn;
}

function hold(lease: Lease, credits: number): number {
  if (lease.revoked || lease.free < credits) return 0;
  lease.free -= credits;
  lease.held += credits;
  return lease.turn;
}

export function spend(lease: Lease, tool: string, credits: number, turn: number) {
  // Where the credits are not held any more, the charge is late, and the account decides on it.
  letGo(lease, credits, turn);
  lease.unconfirmed += credits;
  const spent = (lease.spent[tool] ??= { calls: 0, credits: 0 });
  spent.calls += 1;
  spent.credits += credits;
}

export function giveBack(lease: Lease, credits: number, turn: number) {
  if (letGo(lease, credits, turn)) lease.free += credits;
}

/** Returns whether the credits were still held. */
function letGo(lease: Lease, credits: number, turn: number): boolean {
  if (turn === lease.turn) lease.held -= credits;
  else if (turn === lease.turn - 1) lease.heldBefore -= credits;
  else return false;
  return true;
}

/** Frees credits that were held for more than a turn. */
function endTurn(lease: Lease, now: number) {
  if (now < lease.turnEndsAt) return;
  lease.free += lease.heldBefore;
  lease.heldBefore = lease.held;
  lease.held = 0;
  lease.turn += 1;
  lease.turnEndsAt = now + holdForMs;
}

export function isDue(lease: Lease): boolean {
  const now = Date.now();
  return now >= lease.askedAt + renewAfterMs && now >= lease.renewingUntil;
}

/**
 * Reports what was spent and asks for what is missing of `need` credits; and, unless another
 * report already does, for as much as the coming second will take.
 * Returns the turn in which `need` is held; 0 when it is refused.
 *
 * A refusal does not count while credits of this lease were on their way back to the account, or
 * set aside by another call, which may be refused too.
 *
 * A lease whose report fails is given up, and the charges of the report are forgiven: whether the
 * account heard them cannot be known, and nobody pays twice.
 */
export async function renew(lease: Lease, ledger: Ledger, need: number): Promise<number> {
  for (let round = 1; ; round += 1) {
    const { returning } = lease;
    const { turn, granted } = await ask(lease, ledger, need);
    const isFinal = lease.revoked || (granted === 0 && returning === 0) || round === mostRounds;
    if (turn > 0 || isFinal) return turn;
  }
}

async function ask(lease: Lease, ledger: Ledger, need: number) {
  const now = Date.now();
  endTurn(lease, now);
  // Set aside at once, so that no two calls count on the same credits; and nobody takes them until it
  // is known whether the key still holds.
  const part = Math.min(lease.free, need);
  const turnOfPart = hold(lease, part);
  const missing = need - part;
  const renews = now >= lease.renewingUntil;
  const wish = renews ? renewal(lease, missing, now) : { release: 0, need: missing, want: missing };
  if (renews) lease.renewingUntil = now + freshForMs;
  lease.returning += part;
  let granted = 0;
  try {
    ({ granted } = await send(lease, ledger, wish));
    lease.askedAt = Math.max(lease.askedAt, now);
  } finally {
    if (renews) lease.renewingUntil = 0;
    lease.returning -= part;
    giveBack(lease, part, turnOfPart);
  }
  lease.free += granted;
  // However long the answer took, it was to this question; and no other call comes in between.
  const turn = hold(lease, need);
  if (turn > 0) lease.taken += need;
  return { turn, granted };
}

/** What to ask for, and give back, for the coming second. */
function renewal(lease: Lease, missing: number, now: number) {
  const expected = nextSecond(lease, now);
  if (now >= lease.askedAt + renewAfterMs) Object.assign(lease, { taken: 0, since: now });
  return {
    release: missing > 0 ? 0 : Math.max(0, lease.free - 2 * expected),
    need: missing,
    want: Math.max(missing, expected - lease.free),
  };
}

/** Credits that the coming second will take, by the rate since the last renewal; 0 for a lone call. */
function nextSecond(lease: Lease, now: number): number {
  return Math.ceil((lease.taken * freshForMs) / Math.max(now - lease.since, freshForMs / 4));
}

/** Reports what was spent, if anything was, and gives back all that is free. */
export async function settle(lease: Lease, ledger: Ledger): Promise<void> {
  endTurn(lease, Date.now());
  if (lease.free === 0 && lease.calls === 0 && !hasSpent(lease)) return;
  await send(lease, ledger, { release: lease.free, need: 0, want: 0 });
}

const hasSpent = (lease: Lease) => Object.keys(lease.spent).length > 0;
const isHeld = (lease: Lease) => lease.held + lease.heldBefore > 0;

async function send(
  lease: Lease,
  ledger: Ledger,
  wish: Pick<Report, 'release' | 'need' | 'want'>,
): Promise<Answer> {
  const { spent, calls } = lease;
  lease.spent = {};
  lease.calls = 0;
  lease.free -= wish.release;
  lease.returning += wish.release;
  const report = { sentAt: Date.now() };
  lease.pending.add(report);
  const credits = Object.values(spent).reduce((sum, each) => sum + each.credits, 0);
  try {
    const answer = await ledger.report({ lease: lease.id, key: lease.key, spent, calls, ...wish });
    lease.balance = answer.credits;
    lease.revoked ||= answer.standing === 'revoked';
    lease.unconfirmed -= credits;
    learnCalls(lease.key, answer.calls + lease.calls);
    return answer;
  } catch (error) {
    forget(lease);
    throw error;
  } finally {
    lease.returning -= wish.release;
    lease.pending.delete(report);
  }
}

function forget(lease: Lease) {
  lease.closed = true;
  if (lease.among.get(lease.key) === lease) lease.among.delete(lease.key);
}

/** Whether nobody stays to settle this lease; if so, the one who asks must call {@link keep}. */
export const isUnkept = (lease: Lease) => Date.now() > lease.keptUntil;

/**
 * Stays until the lease was left alone for a second, then settles it. Ends sooner on a busy lease,
 * which a later request keeps in its turn.
 */
export async function keep(lease: Lease, ledger: Ledger): Promise<void> {
  const end = Date.now() + keepForMs;
  lease.keptUntil = end - 2 * freshForMs;
  while (Date.now() < end) {
    if (isFresh(lease)) await scheduler.wait(lease.askedAt + freshForMs - Date.now());
    else if (isUsable(lease) && isHeld(lease)) await renew(lease, ledger, 0);
    else {
      await settle(lease, ledger);
      if (!isUsable(lease) || isSettled(lease)) return forget(lease);
      await scheduler.wait(lookAgainAfterMs);
    }
  }
}

const isSettled = (lease: Lease) =>
  lease.pending.size === 0 && lease.free === 0 && !isHeld(lease) && !hasSpent(lease);
