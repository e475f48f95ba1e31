import { nanoid } from 'nanoid';
import type { Ledger, Report, ReportResult, Spent } from './account.ts';
import { learnCalls } from './rate.ts';

/** Milliseconds for which the account's answer is valid. It bounds the time until a revoked key is refused. */
const freshForMs = 1000;
/** Milliseconds after which a busy isolate renews its lease, before the last answer is stale. */
const renewAfterMs = 700;
/**
 * Milliseconds after which a report without an answer counts as lost, and after which a lease without an
 * answered report is no longer used. The sum of both is less than the 30 s after which the account lets
 * the lease expire, so credits are never granted to an expired lease.
 */
const reportTimeoutMs = 10_000;
/**
 * Length of a turn in milliseconds. Credits stay held for one turn at least and two turns at most. After two
 * turns they are free again, because their request was cancelled without paying or giving back.
 */
const holdForMs = 30_000;
/** Milliseconds for which one request keeps a lease; `waitUntil` ends after 30 s. */
const keepForMs = 20_000;
/** Milliseconds between two checks of a lease that waits for its last calls or reports. */
const checkIntervalMs = 250;
/** Reports that one call sends at most while the missing credits are on their way back to the account. */
const maxRounds = 3;

/** The leases of one isolate by key id. */
export type Leases = Map<string, Lease>;

/**
 * The credits of one key that this isolate may spend without asking the account, and the credits that it
 * has spent. storage-schema.md draws the states.
 *
 * A lease holds plain values only, because requests of an isolate share it and may not await each other's
 * promises. The account has always set aside `free + held + heldBefore + spent` plus the credits in
 * reports under way. Each report carries only differences, so reports may overlap.
 */
export interface Lease {
  readonly id: string;
  readonly key: string;
  readonly among: Leases;
  free: number;
  /** Credits of running calls that began in this turn (`held`) and in the turn before (`heldBefore`). */
  held: number;
  heldBefore: number;
  /** The number of the current turn, from 1; a turn lasts {@link holdForMs}. */
  turn: number;
  turnEndsAt: number;
  spent: Record<string, Spent>;
  /** Credits of charges that the account has not confirmed. */
  unconfirmed: number;
  /** The balance in the account's last answer. */
  balance: number | undefined;
  /** Never reset: a revoked key stays revoked. */
  revoked: boolean;
  /** When the newest answered report was sent. */
  askedAt: number;
  /** No other renewal starts before this time. 0 when none is under way. */
  renewingUntil: number;
  /** The reports under way, oldest first. */
  readonly pending: Set<{ sentAt: number }>;
  /** Credits that the reports under way give back. */
  returning: number;
  /** Credits taken since `since`, from which the demand of the next second is estimated. */
  taken: number;
  since: number;
  /** Calls not yet reported, for the rate limit. */
  calls: number;
  /** Until this time a request is certain to check the lease again and settle it. */
  keptUntil: number;
  /** The lease is settled, or one of its reports was lost. */
  closed: boolean;
}

/** Returns the usable lease of a key, and opens one if there is none. */
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

/** Whether the account's last answer is still valid. */
export const isFresh = (lease: Lease) => Date.now() < lease.askedAt + freshForMs;

/**
 * Whether the lease may ask for more credits. Otherwise it is given up, and the next call opens another lease.
 */
export function isUsable({ closed, askedAt, pending }: Lease): boolean {
  if (closed) return false;
  const now = Date.now();
  return now < askedAt + reportTimeoutMs && (pending.size === 0 || !hasLostReport(pending, now));
}

function hasLostReport(pending: Lease['pending'], now: number): boolean {
  const [oldest] = pending;
  return now >= oldest!.sentAt + reportTimeoutMs;
}

/**
 * Moves credits from `free` to `held`, if the lease is fresh and has enough of them.
 * Returns the number of the turn in which they are held; 0 if they are not held.
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

/** Moves credits from `held` to `spent`; the next report charges them. */
export function spend(lease: Lease, tool: string, credits: number, turn: number) {
  // If the hold has ended, the charge is late: the account pays or forgives it.
  letGo(lease, credits, turn);
  lease.unconfirmed += credits;
  const spent = (lease.spent[tool] ??= { calls: 0, credits: 0 });
  spent.calls += 1;
  spent.credits += credits;
}

/** Moves credits from `held` back to `free`. Has no effect if the hold has ended. */
export function giveBack(lease: Lease, credits: number, turn: number) {
  if (letGo(lease, credits, turn)) lease.free += credits;
}

/** Ends the hold of credits. Returns whether they were still held. */
function letGo(lease: Lease, credits: number, turn: number): boolean {
  if (turn === lease.turn) lease.held -= credits;
  else if (turn === lease.turn - 1) lease.heldBefore -= credits;
  else return false;
  return true;
}

/** Starts a new turn when the current one is over, and frees the credits held since the turn before. */
function endTurn(lease: Lease, now: number) {
  if (now < lease.turnEndsAt) return;
  lease.free += lease.heldBefore;
  lease.heldBefore = lease.held;
  lease.held = 0;
  lease.turn += 1;
  lease.turnEndsAt = now + holdForMs;
}

/** Whether the lease should be renewed now, and no renewal is under way. */
export function isDue(lease: Lease): boolean {
  const now = Date.now();
  return now >= lease.askedAt + renewAfterMs && now >= lease.renewingUntil;
}

/**
 * Sends a report: the charges since the last one, and a request for the credits that are missing for
 * `need`. If no other renewal is under way, the report also asks for the demand of the next second.
 * Returns the number of the turn in which `need` is held; 0 if the account refuses it.
 *
 * The report is repeated after a refusal, up to {@link maxRounds} times, if credits of this lease were on
 * their way back to the account or set aside for another call: these may become available.
 *
 * If the report fails, the lease is given up and the report's charges are forgiven. The account may or may
 * not have received them, and charging them again could make the caller pay twice.
 */
export async function renew(lease: Lease, ledger: Ledger, need: number): Promise<number> {
  for (let round = 1; ; round += 1) {
    const { returning } = lease;
    const { turn, granted } = await ask(lease, ledger, need);
    const isFinal = lease.revoked || (granted === 0 && returning === 0) || round === maxRounds;
    if (turn > 0 || isFinal) return turn;
  }
}

async function ask(lease: Lease, ledger: Ledger, need: number) {
  const now = Date.now();
  endTurn(lease, now);
  // Held before the report is sent, so that no other call uses these credits meanwhile. They stay held
  // until the account has confirmed that the key is not revoked.
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
  // `hold` does not check freshness: the answer belongs to this report, even if it took longer than a second.
  // There is no `await` between the grant and the hold, so no other call can take the granted credits.
  const turn = hold(lease, need);
  if (turn > 0) lease.taken += need;
  return { turn, granted };
}

/** Computes the credits to ask for and to give back in a renewal. */
function renewal(lease: Lease, missing: number, now: number) {
  const expected = nextSecond(lease, now);
  if (now >= lease.askedAt + renewAfterMs) Object.assign(lease, { taken: 0, since: now });
  return {
    release: missing > 0 ? 0 : Math.max(0, lease.free - 2 * expected),
    need: missing,
    want: Math.max(missing, expected - lease.free),
  };
}

/** Estimates the demand of the next second from the rate since the last renewal; 0 for a first call. */
function nextSecond(lease: Lease, now: number): number {
  return Math.ceil((lease.taken * freshForMs) / Math.max(now - lease.since, freshForMs / 4));
}

/** Settles a lease: reports its charges and gives back its free credits. Sends nothing if there are none. */
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
): Promise<ReportResult> {
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

/** Whether no request keeps this lease. The request that finds a lease unkept must call {@link keep}. */
export const isUnkept = (lease: Lease) => Date.now() > lease.keptUntil;

/**
 * Keeps a lease: waits until it has been idle for a second, then settles it. On a busy lease it ends after
 * {@link keepForMs}, and a later request becomes the keeper.
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
      await scheduler.wait(checkIntervalMs);
    }
  }
}

const isSettled = (lease: Lease) =>
  lease.pending.size === 0 && lease.free === 0 && !isHeld(lease) && !hasSpent(lease);
