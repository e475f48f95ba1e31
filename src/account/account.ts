import { DurableObject } from 'cloudflare:workers';
import { nanoid } from 'nanoid';
import { isBinding } from './directory.ts';
import { createKey, hashKey, keyHint } from './key.ts';
import { registryOf } from './registry.ts';
import { Repeats, type KeptAnswer, type Repeat } from './repeats.ts';

/** Calls and credits of one tool since the last report. */
export interface Spent {
  calls: number;
  credits: number;
}

/**
 * A report of an isolate to the account about the lease of one key: charges since the last report, and a
 * request for credits.
 */
export interface Report {
  lease: string;
  key: string;
  /** Charges since the last report, by tool. The account takes them from the lease and from the balance. */
  spent: Record<string, Spent>;
  /** Credits of the lease that the isolate will not use. */
  release: number;
  /**
   * Credits that the asking call lacks beyond the free credits of the lease. Without them the call is refused.
   */
  need: number;
  /** Credits that the isolate expects to spend in the next second, including `need`. */
  want: number;
  /** Calls of this key since the last report, charged or not. */
  calls: number;
}

/** The account's answer to a {@link Report}. */
export interface ReportResult {
  standing: 'good' | 'revoked';
  /** Credits added to the lease: `want`, `need`, or 0. */
  granted: number;
  /** The balance after the report. */
  credits: number;
  /** Calls of this key in the current minute, in all isolates. */
  calls: number;
}

/** The part of an account that leases use: the Durable Object itself, or its stub in the Worker. */
export type Ledger = Pick<DurableObjectStub<Account>, 'report'>;

export interface NewKey {
  id: string;
  key: string;
}

export interface KeyInfo {
  id: string;
  name: string;
  hint: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface UsageRow {
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  tool: string;
  calls: number;
  credits: number;
}

export interface Grant {
  at: number;
  credits: number;
  /** The person or program that granted the credits. */
  by: string;
}

/** Largest number of keys of an account. Each key has a rate limit of its own, so the number is bounded. */
export const maxKeysPerAccount = 100;
/** Milliseconds without a report after which a lease expires. */
const leaseLifeMs = 30_000;
/** Resolution of a key's last use in milliseconds. A finer one would write a row every second. */
const lastUsedResolutionMs = 60_000;
/** An isolate is granted `want` only if the available credits are at least this many times `want`. */
const wantReserveFactor = 8;

/**
 * Holds one account: its balance, keys, leases and usage. storage-schema.md describes the tables and
 * invariants.
 */
export class Account extends DurableObject<Env> {
  readonly #sql: SqlStorage;
  readonly #repeats: Repeats;
  /** Calls in the current minute by key. When the object is evicted the counts restart, and more calls pass. */
  readonly #minute = new Map<string, { minute: number; calls: number }>();

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    this.#repeats = new Repeats(this.#sql);
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS account (
        id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL,
        credits INTEGER NOT NULL CHECK (credits >= 0), created_at INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS keys (
        id TEXT PRIMARY KEY, hash TEXT NOT NULL, name TEXT NOT NULL, hint TEXT NOT NULL,
        created_at INTEGER NOT NULL, last_used_at INTEGER, revoked_at INTEGER);
      CREATE TABLE IF NOT EXISTS leases (
        id TEXT PRIMARY KEY, credits INTEGER NOT NULL CHECK (credits >= 0), expires_at INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS usage (
        day TEXT NOT NULL, tool TEXT NOT NULL, calls INTEGER NOT NULL, credits INTEGER NOT NULL,
        PRIMARY KEY (day, tool));
      CREATE TABLE IF NOT EXISTS grants (
        at INTEGER NOT NULL, credits INTEGER NOT NULL, by TEXT NOT NULL);`);
  }

  /**
   * Charges the credits that an isolate spent, takes back those it releases and lends those it needs.
   * A charge that the lease does not cover is late, because the lease has expired. A late charge is paid
   * if the balance has as many credits that no other lease holds; otherwise the charge is forgiven.
   */
  report(report: Report): ReportResult {
    return this.ctx.storage.transactionSync(() => {
      const now = Date.now();
      this.#sql.exec('DELETE FROM leases WHERE expires_at <= ?', now);
      const lent = this.#one<{ credits: number }>(
        'SELECT credits FROM leases WHERE id = ?',
        report.lease,
      );
      const paid = this.#charge(report, now);
      const left = Math.max(0, (lent?.credits ?? 0) - paid - report.release);
      const credits = this.#credits();
      const standing = this.#standing(report.key, now, report.calls > 0);
      const available = credits - left - this.#lent(now, report.lease);
      const granted = standing === 'good' ? grantable(report, available) : 0;
      this.#lend(report.lease, left + granted, now);
      return { standing, granted, credits, calls: this.#count(report, now) };
    });
  }

  /**
   * Takes the spent credits from the balance, without those lent to other leases. Returns the credits taken.
   */
  #charge({ lease, spent }: Report, now: number): number {
    const payable = this.#credits() - this.#lent(now, lease);
    const day = new Date(now).toISOString().slice(0, 10);
    let paid = 0;
    for (const [tool, reported] of Object.entries(spent)) {
      const { calls, credits } = affordable(reported, payable - paid);
      if (calls === 0) continue;
      paid += credits;
      this.#sql.exec(
        `INSERT INTO usage (day, tool, calls, credits) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET calls = calls + ?3, credits = credits + ?4`,
        day,
        tool,
        calls,
        credits,
      );
    }
    if (paid > 0) this.#sql.exec('UPDATE account SET credits = credits - ?', paid);
    return paid;
  }

  #lend(lease: string, credits: number, now: number) {
    if (credits > 0) {
      this.#sql.exec(
        'INSERT OR REPLACE INTO leases VALUES (?, ?, ?)',
        lease,
        credits,
        now + leaseLifeMs,
      );
    } else {
      this.#sql.exec('DELETE FROM leases WHERE id = ?', lease);
    }
  }

  #standing(id: string, now: number, used: boolean): ReportResult['standing'] {
    if (isBinding(id)) return 'good';
    const key = this.#one<{ revoked_at: number | null; last_used_at: number | null }>(
      'SELECT revoked_at, last_used_at FROM keys WHERE id = ?',
      id,
    );
    if (!key || key.revoked_at !== null) return 'revoked';
    if (used && now - (key.last_used_at ?? 0) >= lastUsedResolutionMs) {
      this.#sql.exec('UPDATE keys SET last_used_at = ? WHERE id = ?', now, id);
    }
    return 'good';
  }

  #count({ key, calls }: Report, now: number): number {
    const minute = Math.floor(now / 60_000);
    const seen = this.#minute.get(key);
    const total = calls + (seen?.minute === minute ? seen.calls : 0);
    this.#minute.set(key, { minute, calls: total });
    return total;
  }

  /** Creates the account with FREE_CREDITS unless it exists, and lists it in the registry. */
  async open(account: string): Promise<void> {
    const { rowsWritten } = this.#sql.exec(
      'INSERT OR IGNORE INTO account VALUES (1, ?, 0, ?)',
      account,
      Date.now(),
    );
    const free = Number(this.env.FREE_CREDITS);
    if (rowsWritten > 0 && free > 0) this.#give(free, 'a new account');
    await registryOf(this.env).list(account);
  }

  /**
   * Creates a key and writes its hash to KV. The key itself is returned here and stored nowhere.
   * Returns undefined when the account already has {@link maxKeysPerAccount} keys.
   */
  async createKey(account: string, name: string): Promise<NewKey | undefined> {
    await this.open(account);
    const query = 'SELECT count(*) AS keys FROM keys WHERE revoked_at IS NULL';
    if (this.#one<{ keys: number }>(query)!.keys >= maxKeysPerAccount) return undefined;
    const key = createKey();
    const id = nanoid(12);
    const hash = hashKey(key);
    this.#sql.exec(
      'INSERT INTO keys (id, hash, name, hint, created_at) VALUES (?, ?, ?, ?, ?)',
      id,
      hash,
      name,
      keyHint(key),
      Date.now(),
    );
    await this.env.KEYS.put(`key:${hash}`, JSON.stringify({ account, id }));
    return { key, id };
  }

  /** Revokes a key here at once; KV follows with its usual delay. Returns false when the key does not exist. */
  async revokeKey(id: string): Promise<boolean> {
    const row = this.#one<{ hash: string }>(
      'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING hash',
      Date.now(),
      id,
    );
    if (!row) return false;
    await this.env.KEYS.delete(`key:${row.hash}`);
    return true;
  }

  /** Adds credits, and creates the account if it does not exist. Returns the new balance. */
  async grant(account: string, credits: number, by = 'the operator'): Promise<number> {
    await this.open(account);
    this.#give(credits, by);
    return this.#credits();
  }

  #give(credits: number, by: string) {
    this.#sql.exec('UPDATE account SET credits = credits + ?', credits);
    this.#sql.exec('INSERT INTO grants VALUES (?, ?, ?)', Date.now(), credits, by);
  }

  /** See {@link Repeats}. `key` is the hash of the caller's `Idempotency-Key`. */
  beginRepeat(key: string, longestCallMs: number): Repeat {
    return this.#repeats.begin(key, longestCallMs);
  }

  keepRepeat(key: string, fingerprint: string, answer: KeptAnswer): void {
    this.#repeats.keep(key, fingerprint, answer);
  }

  forgetRepeat(key: string): void {
    this.#repeats.forget(key);
  }

  /**
   * Describes the account for the dashboard and the operator. `lent` is part of `credits`.
   *
   * @param since first day of the usage, as `YYYY-MM-DD`
   */
  describe(since = '') {
    const account = this.#one<{ credits: number; created_at: number }>(
      'SELECT credits, created_at FROM account',
    );
    return {
      credits: account?.credits ?? 0,
      /** Null if the account does not exist yet. */
      created_at: account?.created_at ?? null,
      lent: this.#lent(Date.now()),
      keys: this.#all<KeyInfo>(
        'SELECT id, name, hint, created_at, last_used_at, revoked_at FROM keys ORDER BY created_at',
      ),
      usage: this.#all<UsageRow>(
        'SELECT day, tool, calls, credits FROM usage WHERE day >= ? ORDER BY day, tool',
        since,
      ),
      grants: this.#all<Grant>('SELECT at, credits, by FROM grants ORDER BY at DESC'),
    };
  }

  /** Returns the balance; null if the account does not exist. */
  balance(): number | null {
    return this.#one<{ credits: number }>('SELECT credits FROM account')?.credits ?? null;
  }

  #credits(): number {
    return this.balance() ?? 0;
  }

  /** Credits in all leases that have not expired, except for the lease `except`. */
  #lent(now: number, except = ''): number {
    const query =
      'SELECT coalesce(sum(credits), 0) AS lent FROM leases WHERE expires_at > ? AND id <> ?';
    return this.#one<{ lent: number }>(query, now, except)?.lent ?? 0;
  }

  #one<T extends Record<string, SqlStorageValue>>(
    query: string,
    ...values: unknown[]
  ): T | undefined {
    return this.#sql.exec<T>(query, ...values).toArray()[0];
  }

  #all<T>(query: string, ...values: unknown[]): T[] {
    return this.#sql.exec(query, ...values).toArray() as T[];
  }
}

/**
 * Grants `want` while the balance is large. When the balance is small it grants `need`, the price of one
 * call: otherwise an isolate could hold credits that it does not use while another isolate refuses calls.
 */
function grantable({ need, want }: Report, available: number): number {
  if (available >= want * wantReserveFactor) return want;
  return available >= need ? need : 0;
}

/** Returns the part of a tool's calls that the credits pay for. All calls of a tool have the same price. */
function affordable({ calls, credits }: Spent, payable: number): Spent {
  if (credits <= payable) return { calls, credits };
  const price = credits / calls;
  const paid = Math.floor(payable / price);
  return { calls: paid, credits: paid * price };
}
