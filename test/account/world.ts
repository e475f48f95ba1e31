import { runInDurableObject } from 'cloudflare:test';
import { expect, vi } from 'vitest';
import type { Account, Answer, Ledger, Report } from '../../src/account/account.ts';
import { keyHolder, type Charge } from '../../src/account/caller.ts';
import type { Leases } from '../../src/account/lease.ts';
import { newAccount } from './accounts.ts';

/** Prices by tool. */
export const prices = { hash: 1, screenshot: 5 };
export type Priced = keyof typeof prices;

interface Isolate {
  leases: Leases;
  alive: boolean;
  /** Neither its reports nor the answers to them arrive by themselves. */
  cutOff: boolean;
}

/** A report on its way to the account, or its answer on the way back. */
interface Letter {
  from: Isolate;
  report: Report;
  answer?: Answer;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export interface Call {
  isolate: Isolate;
  key: string;
  tool: Priced;
  charge: Charge;
  begunAt: number;
  state: 'asking' | 'running' | 'over' | 'refused' | 'unavailable';
}

const holdForMs = 30_000;
const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, each) => all + each, 0);
const creditsOf = (spent: Report['spent']) => sum(Object.values(spent).map((each) => each.credits));

/**
 * Several isolates with two keys of one real account, on a clock of their own. Whatever happens
 * between them and the account happens when the test says so. {@link checkLaws} runs after it.
 */
export async function inWorld<T>(credits: number, live: (world: World) => Promise<T>): Promise<T> {
  const made = await newAccount(credits);
  const second = (await made.stub.createKey(made.name, 'second'))!.id;
  return runInDurableObject(made.stub, async (account: Account, { storage }) => {
    vi.spyOn(console, 'error').mockReturnValue();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T12:00:00Z') });
    try {
      return await live(createWorld(account, storage.sql, made.name, [made.id, second], credits));
    } finally {
      vi.useRealTimers();
      vi.unstubAllGlobals();
      vi.restoreAllMocks();
    }
  });
}

export type World = ReturnType<typeof createWorld>;

function createWorld(
  account: Account,
  sql: SqlStorage,
  name: string,
  keys: string[],
  credits: number,
) {
  const isolates = [newIsolate(), newIsolate(), newIsolate()];
  const calls: Call[] = [];
  const letters: Letter[] = [];
  const sleepers: { at: number; wake(): void }[] = [];
  const revokedAt = new Map<string, number>();
  const broken: unknown[] = [];
  let sent = 0;
  /** Whether anything has been cut off, lost or killed. */
  let disorder = false;
  const committed = { hash: 0, screenshot: 0 };
  let granted = credits;
  /** Credits of leases that expired, and of calls that paid after their hold had expired. */
  let expired = 0;
  let heldTooLong = 0;

  vi.stubGlobal('scheduler', {
    wait: (milliseconds: number) =>
      new Promise<void>((wake) => sleepers.push({ at: Date.now() + milliseconds, wake })),
  });

  const ledgerOf = (from: Isolate) =>
    ({
      report: (report: Report) =>
        new Promise<Answer>((resolve, reject) => {
          if (!from.alive) return;
          sent += 1;
          letters.push({ from, report, resolve, reject });
        }),
    }) as unknown as Ledger;

  function begin(place: number, keyNumber: number, tool: Priced): Call {
    const isolate = isolates[place % isolates.length]!;
    const key = keys[keyNumber % keys.length]!;
    const holder = keyHolder(
      { account: name, id: key },
      () => ledgerOf(isolate),
      () => {},
      isolate.leases,
    );
    const charge = holder.charge(tool, prices[tool]);
    const call: Call = { isolate, key, tool, charge, begunAt: Date.now(), state: 'asking' };
    calls.push(call);
    if (charge.pending) {
      charge.pending.then(() => onHeld(call), onRefused(call)).catch((law) => broken.push(law));
    } else onHeld(call);
    return call;
  }

  function onHeld(call: Call) {
    if (call.state === 'asking') call.state = 'running';
    expect(call.begunAt, 'a revoked key is refused').toBeLessThan(
      (revokedAt.get(call.key) ?? Infinity) + 1000,
    );
  }

  const onRefused = (call: Call) => (error: { status: number }) => {
    expect([401, 402, 503]).toContain(error.status);
    call.state = error.status === 503 ? 'unavailable' : 'refused';
    if (error.status === 402 && letters.length === 0 && !disorder) checkRefusal(call);
    if (error.status === 401) expect(revokedAt.has(call.key)).toBe(true);
  };

  /** With nothing under way, only what others have and what runs or is spent may be missing. */
  function checkRefusal({ isolate, key, tool }: Call) {
    const lease = isolate.leases.get(key);
    const others = sum(rows().map(({ id, credits }) => (id === lease?.id ? 0 : credits)));
    const used = lease ? lease.held + lease.heldBefore + creditsOf(lease.spent) : 0;
    const left = account.describe().credits - others - used;
    expect(left, 'a call is refused only when there is too little').toBeLessThan(prices[tool]);
  }

  function end(call: Call | undefined, how: 'commit' | 'cancel') {
    if (!call) return;
    if (call.state === 'running' && how === 'commit') {
      committed[call.tool] += prices[call.tool];
      if (Date.now() - call.begunAt >= holdForMs) heldTooLong += prices[call.tool];
    }
    // A call that is not held may only be cancelled; a second end has no effect.
    if (call.state === 'asking') call.charge.cancel();
    else call.charge[how]();
    if (call.state === 'running' || call.state === 'asking') call.state = 'over';
  }

  /** Rows as they are, expired or not. */
  const rows = () =>
    sql.exec<{ id: string; credits: number; expires_at: number }>('SELECT * FROM leases').toArray();

  function deliver(letter: Letter | undefined) {
    if (!letter || letter.answer) return;
    expired += sum(rows().map((row) => (row.expires_at <= Date.now() ? row.credits : 0)));
    letter.answer = account.report(letter.report);
    checkLaws();
  }

  function cutOff(place: number) {
    disorder = true;
    isolates[place % isolates.length]!.cutOff = true;
  }

  function reconnect(place: number) {
    isolates[place % isolates.length]!.cutOff = false;
  }

  function lose(letter: Letter | undefined) {
    disorder = true;
    drop(letter);
  }

  function drop(letter: Letter | undefined) {
    if (letter) letters.splice(letters.indexOf(letter), 1);
    return letter;
  }

  function answer(letter: Letter | undefined) {
    if (letter?.answer && letter.from.alive) drop(letter)!.resolve(letter.answer);
  }

  function fail(letter: Letter | undefined) {
    disorder = true;
    drop(letter)?.reject(new Error('gone'));
  }

  /** Lets all happen that happens by itself at this time. */
  async function flush() {
    for (;;) {
      for (let i = 0; i < 20; i++) await Promise.resolve();
      const free = letters.filter(({ from }) => from.alive && !from.cutOff);
      if (free.length === 0) break;
      for (const letter of free) deliver(letter);
      for (const letter of free) answer(letter);
    }
    checkLaws();
  }

  async function wait(milliseconds: number) {
    const until = Date.now() + milliseconds;
    for (;;) {
      sleepers.sort((a, b) => a.at - b.at);
      if (sleepers.length === 0 || sleepers[0]!.at > until) break;
      const { at, wake } = sleepers.shift()!;
      vi.setSystemTime(Math.max(at, Date.now()));
      wake();
      await flush();
    }
    vi.setSystemTime(until);
    await flush();
  }

  function die(place: number) {
    const at = place % isolates.length;
    disorder = true;
    isolates[at]!.alive = false;
    for (const call of calls) if (call.isolate === isolates[at]) call.state = 'over';
    isolates[at] = newIsolate();
  }

  async function revoke(keyNumber: number) {
    const key = keys[keyNumber % keys.length]!;
    if (!revokedAt.has(key)) revokedAt.set(key, Date.now());
    await account.revokeKey(key);
  }

  async function grant(more: number) {
    granted += more;
    await account.grant(name, more);
  }

  const usage = () => account.describe().usage;
  const charged = () => sum(usage().map((row) => row.credits));

  function checkLaws() {
    if (broken.length > 0) throw broken[0];
    const { credits, lent } = account.describe();
    const live = rows().filter((row) => row.expires_at > Date.now());
    expect(lent, 'expired leases do not count').toBe(sum(live.map((row) => row.credits)));
    expect(lent).toBeGreaterThanOrEqual(0);
    expect(credits, 'what is lent is there').toBeGreaterThanOrEqual(lent);
    expect(credits, 'usage is what was charged').toBe(granted - charged());
    for (const tool of Object.keys(prices) as Priced[]) {
      const of = usage().filter((row) => row.tool === tool);
      expect(sum(of.map((row) => row.credits))).toBeLessThanOrEqual(committed[tool]);
      expect(sum(of.map((row) => row.calls * prices[tool]))).toBe(sum(of.map((r) => r.credits)));
    }
  }

  /**
   * All calls end, all that is under way arrives, and all that is left expires.
   * Returns what is lent then, and what was forgiven; at most what expired.
   */
  async function rest() {
    for (const isolate of isolates) isolate.cutOff = false;
    await flush();
    for (const call of calls) end(call, 'cancel');
    await wait(100_000);
    expired += sum(rows().map((row) => row.credits));
    return {
      lent: account.describe().lent,
      forgiven: sum(Object.values(committed)) - charged(),
      expired: expired + heldTooLong,
      heldTooLong,
    };
  }

  return {
    calls,
    letters,
    committed,
    begin,
    end,
    deliver,
    cutOff,
    reconnect,
    lose,
    sent: () => sent,
    answer,
    fail,
    flush,
    wait,
    die,
    revoke,
    grant,
    rest,
    describe: () => account.describe(),
  };
}

const newIsolate = (): Isolate => ({ leases: new Map(), alive: true, cutOff: false });
