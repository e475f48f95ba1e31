import { runInDurableObject } from 'cloudflare:test';
import { expect, vi } from 'vitest';
import type { Account, Ledger, Report, ReportResult } from '../../src/account/account.ts';
import { keyHolder, type Charge } from '../../src/account/caller.ts';
import type { Leases } from '../../src/account/lease.ts';
import { newAccount } from './accounts.ts';

/** Prices by tool. */
const prices = { hash: 1, screenshot: 5 };
export type Priced = keyof typeof prices;

interface Isolate {
  leases: Leases;
  alive: boolean;
  /** Its reports and their answers arrive only when the test delivers them. */
  cutOff: boolean;
}

/** A report on its way to the account, or its answer on the way back. */
interface Letter {
  from: Isolate;
  report: Report;
  answer?: ReportResult;
  resolve(answer: ReportResult): void;
  reject(error: Error): void;
}

interface Call {
  isolate: Isolate;
  key: string;
  tool: Priced;
  charge: Charge;
  begunAt: number;
  /** `left`: the request was cancelled, and nothing of it runs again. */
  state: 'asking' | 'running' | 'over' | 'left' | 'refused' | 'unavailable';
}

/**
 * A simulation of several isolates that use two keys of one real account, on a fake clock. The test decides
 * when each report and each answer arrives; after each step the invariants are checked.
 */
export interface World {
  readonly account: Account;
  readonly sql: SqlStorage;
  readonly name: string;
  readonly keys: string[];
  readonly isolates: Isolate[];
  readonly calls: Call[];
  readonly letters: Letter[];
  readonly sleepers: { at: number; wake(): void }[];
  readonly revokedAt: Map<string, number>;
  /** Violated invariants in code that the test does not await. */
  readonly broken: unknown[];
  readonly committed: Record<Priced, number>;
  granted: number;
  /** Reports sent so far. */
  sent: number;
  /** Whether anything has been cut off, lost or killed. */
  disorder: boolean;
  /** Credits of expired leases, and of calls that committed after their hold may have ended. */
  expired: number;
  heldTooLong: number;
}

/** Milliseconds for which credits are held at least. */
const holdForMs = 30_000;

const newIsolate = (): Isolate => ({ leases: new Map(), alive: true, cutOff: false });
const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0);
const creditsOf = (rows: { credits: number }[]) => sum(rows.map(({ credits }) => credits));

export async function inWorld<T>(credits: number, live: (world: World) => Promise<T>): Promise<T> {
  const made = await newAccount(credits);
  const second = (await made.stub.createKey(made.name, 'second'))!.id;
  return runInDurableObject(made.stub, async (account: Account, { storage }) => {
    const world: World = {
      account,
      sql: storage.sql,
      name: made.name,
      keys: [made.id, second],
      isolates: [newIsolate(), newIsolate(), newIsolate()],
      calls: [],
      letters: [],
      sleepers: [],
      revokedAt: new Map(),
      broken: [],
      committed: { hash: 0, screenshot: 0 },
      granted: credits,
      sent: 0,
      disorder: false,
      expired: 0,
      heldTooLong: 0,
    };
    return withItsClock(world, () => live(world));
  });
}

async function withItsClock<T>({ sleepers }: World, live: () => Promise<T>): Promise<T> {
  const wait = (milliseconds: number) =>
    new Promise<void>((wake) => sleepers.push({ at: Date.now() + milliseconds, wake }));
  vi.spyOn(console, 'error').mockReturnValue();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T12:00:00Z') });
  vi.stubGlobal('scheduler', { wait });
  try {
    return await live();
  } finally {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  }
}

const isolateAt = ({ isolates }: World, place: number) => isolates[place % isolates.length]!;
const keyAt = ({ keys }: World, place: number) => keys[place % keys.length]!;

function ledgerOf(world: World, from: Isolate): Ledger {
  const report = (report: Report) =>
    new Promise<ReportResult>((resolve, reject) => {
      if (!from.alive) return;
      world.sent += 1;
      world.letters.push({ from, report, resolve, reject });
    });
  return { report } as unknown as Ledger;
}

/** Begins a call of a key in an isolate. */
export function begin(world: World, place: number, keyPlace: number, tool: Priced): Call {
  const isolate = isolateAt(world, place);
  const key = keyAt(world, keyPlace);
  const holder = keyHolder(
    { account: world.name, id: key },
    () => ledgerOf(world, isolate),
    () => {},
    isolate.leases,
  );
  const charge = holder.charge(tool, prices[tool]);
  const call: Call = { isolate, key, tool, charge, begunAt: Date.now(), state: 'asking' };
  world.calls.push(call);
  if (charge.pending) {
    charge.pending
      .then(() => onHeld(world, call))
      .catch((error: unknown) => onRefused(world, call, error))
      .catch((law: unknown) => world.broken.push(law));
  } else onHeld(world, call);
  return call;
}

function onHeld({ revokedAt }: World, call: Call) {
  if (call.state === 'asking') call.state = 'running';
  const refusedFrom = (revokedAt.get(call.key) ?? Infinity) + 1000;
  expect(call.begunAt, 'a revoked key is refused').toBeLessThan(refusedFrom);
}

function onRefused(world: World, call: Call, error: unknown) {
  const { status } = error as { status?: number };
  if (status === undefined) throw error;
  if (call.state === 'asking') call.state = status === 503 ? 'unavailable' : 'refused';
  expect([401, 402, 503]).toContain(status);
  const isRevoked = world.revokedAt.has(call.key);
  if (status === 401) expect(isRevoked, 'only a revoked key is invalid').toBe(true);
  if (status === 402 && world.letters.length === 0 && !world.disorder) checkRefusal(world, call);
}

/** With no report under way, only credits of other leases and of held or spent calls may be missing. */
function checkRefusal(world: World, { isolate, key, tool }: Call) {
  const lease = isolate.leases.get(key);
  const others = creditsOf(rows(world).filter(({ id }) => id !== lease?.id));
  const used = lease ? lease.held + lease.heldBefore + creditsOf(Object.values(lease.spent)) : 0;
  const left = world.account.describe().credits - others - used;
  expect(left, 'a call is refused only when there is too little').toBeLessThan(prices[tool]);
}

/** Ends a call. A call whose credits are not granted yet is cancelled. Ending a call again has no effect. */
export function end(world: World, call: Call | undefined, how: 'commit' | 'cancel') {
  if (!call) return;
  if (call.state === 'running' && how === 'commit') {
    world.committed[call.tool] += prices[call.tool];
    if (Date.now() - call.begunAt >= holdForMs) world.heldTooLong += prices[call.tool];
  }
  call.charge[call.state === 'asking' ? 'cancel' : how]();
  if (isUnfinished(call)) call.state = 'over';
}

export const isUnfinished = ({ state }: Call) => state === 'running' || state === 'asking';

export function leave(call: Call | undefined) {
  if (call) call.state = 'left';
}

/** The stored leases of the account, including expired ones. */
const rows = ({ sql }: World) =>
  sql.exec<{ id: string; credits: number; expires_at: number }>('SELECT * FROM leases').toArray();

export function deliver(world: World, letter: Letter | undefined) {
  if (!letter || letter.answer) return;
  world.expired += creditsOf(rows(world).filter((row) => row.expires_at <= Date.now()));
  letter.answer = world.account.report(letter.report);
  checkLaws(world);
}

export function answer(world: World, letter: Letter | undefined) {
  if (!letter?.answer || !letter.from.alive) return;
  drop(world, letter);
  letter.resolve(letter.answer);
}

/** Drops a report and its answer. */
export function lose(world: World, letter: Letter | undefined) {
  if (!letter) return;
  world.disorder = true;
  drop(world, letter);
}

export function fail(world: World, letter: Letter | undefined) {
  lose(world, letter);
  letter?.reject(new Error('gone'));
}

const drop = ({ letters }: World, letter: Letter) => letters.splice(letters.indexOf(letter), 1);

export function cutOff(world: World, place: number) {
  world.disorder = true;
  isolateAt(world, place).cutOff = true;
}

export function reconnect(world: World, place: number) {
  isolateAt(world, place).cutOff = false;
}

/** Ends an isolate with all its calls, and replaces it by a new one. */
export function die(world: World, place: number) {
  const dead = isolateAt(world, place);
  world.disorder = true;
  dead.alive = false;
  for (const call of world.calls) if (call.isolate === dead) leave(call);
  world.isolates[world.isolates.indexOf(dead)] = newIsolate();
}

export async function revoke(world: World, keyPlace: number) {
  const key = keyAt(world, keyPlace);
  if (!world.revokedAt.has(key)) world.revokedAt.set(key, Date.now());
  await world.account.revokeKey(key);
}

export async function grant(world: World, credits: number) {
  world.granted += credits;
  await world.account.grant(world.name, credits);
}

/** Delivers all reports and answers of isolates that are not cut off, until none is under way. */
export async function flush(world: World) {
  for (;;) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    const moving = world.letters.filter(({ from }) => from.alive && !from.cutOff);
    if (moving.length === 0) break;
    for (const letter of moving) deliver(world, letter);
    for (const letter of moving) answer(world, letter);
  }
  checkLaws(world);
}

export async function wait(world: World, milliseconds: number) {
  const until = Date.now() + milliseconds;
  for (;;) {
    world.sleepers.sort((a, b) => a.at - b.at);
    if (world.sleepers.length === 0 || world.sleepers[0]!.at > until) break;
    const { at, wake } = world.sleepers.shift()!;
    vi.setSystemTime(Math.max(at, Date.now()));
    wake();
    await flush(world);
  }
  vi.setSystemTime(until);
  await flush(world);
}

function checkLaws(world: World) {
  if (world.broken.length > 0) throw world.broken[0];
  const { credits, lent, usage } = world.account.describe();
  const live = rows(world).filter((row) => row.expires_at > Date.now());
  expect(lent, 'expired leases do not count').toBe(creditsOf(live));
  expect(lent).toBeGreaterThanOrEqual(0);
  expect(credits, 'what is lent is there').toBeGreaterThanOrEqual(lent);
  expect(credits, 'usage is what was charged').toBe(world.granted - creditsOf(usage));
  for (const [tool, price] of Object.entries(prices) as [Priced, number][]) {
    const charged = usage.filter((row) => row.tool === tool);
    const credits = creditsOf(charged);
    expect(credits, 'only what is committed is paid').toBeLessThanOrEqual(world.committed[tool]);
    expect(credits, 'calls and credits agree').toBe(price * sum(charged.map((row) => row.calls)));
  }
}

/**
 * Cancels the running calls, delivers all reports and waits until all leases have expired. Returns the
 * credits that are still lent, the forgiven credits, and the expired credits as an upper bound of them.
 */
export async function rest(world: World) {
  for (const isolate of world.isolates) isolate.cutOff = false;
  await flush(world);
  for (const call of world.calls) if (isUnfinished(call)) end(world, call, 'cancel');
  await wait(world, 100_000);
  const { lent, usage } = world.account.describe();
  const { heldTooLong } = world;
  const expired = world.expired + creditsOf(rows(world)) + heldTooLong;
  return {
    lent,
    forgiven: sum(Object.values(world.committed)) - creditsOf(usage),
    expired,
    heldTooLong,
  };
}
