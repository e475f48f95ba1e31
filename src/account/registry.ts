import { DurableObject } from 'cloudflare:workers';
import { createHash, randomBytes } from 'node:crypto';

/** As whom a link signs in. */
export interface Identity {
  account: string;
  /** Sees all accounts and grants credits. */
  operator: boolean;
}

/** Milliseconds for which a sign-in link can be used. */
const linkLifeMs = 24 * 3600_000;

export const registryOf = (env: Env) => env.REGISTRY.getByName('registry');

/**
 * One for the whole service, and seldom asked: which accounts there are, and what it takes to let
 * people in. Tables in storage-schema.md.
 */
export class Registry extends DurableObject<Env> {
  readonly #sql: SqlStorage;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#sql = state.storage.sql;
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS links (
        hash TEXT PRIMARY KEY, account TEXT NOT NULL, operator INTEGER NOT NULL,
        expires_at INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS sessions (
        hash TEXT PRIMARY KEY, account TEXT NOT NULL, operator INTEGER NOT NULL,
        expires_at INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS session_key (
        id INTEGER PRIMARY KEY CHECK (id = 1), key TEXT NOT NULL);`);
  }

  /** Has an account listed from now on. */
  list(account: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO accounts VALUES (?)', account);
  }

  /** Names of accounts in their order, those with `search` in them and behind `after`. */
  accounts({ search = '', after = '', limit = 25 }): string[] {
    const query = `SELECT name FROM accounts WHERE instr(lower(name), lower(?)) > 0 AND name > ?
      ORDER BY name LIMIT ?`;
    return this.#sql
      .exec<{ name: string }>(query, search, after, limit)
      .toArray()
      .map(({ name }) => name);
  }

  /** A token that signs in once, within a day. Only its hash is kept. */
  createLink(identity: Identity): string {
    return this.#remember('links', identity, linkLifeMs);
  }

  /** As whom the token signs in; undefined if it was used, is too old, or never was. */
  useLink(token: string): Identity | undefined {
    return this.#identity('DELETE FROM links WHERE hash = ? AND expires_at > ? RETURNING *', token);
  }

  /** A name for a session of that many milliseconds. Only its hash is kept. */
  createSession(identity: Identity, lifeMs: number): string {
    return this.#remember('sessions', identity, lifeMs);
  }

  /** Whose session has that name; undefined if it has ended. */
  session(id: string): Identity | undefined {
    return this.#identity('SELECT * FROM sessions WHERE hash = ? AND expires_at > ?', id);
  }

  endSession(id: string): void {
    this.#sql.exec('DELETE FROM sessions WHERE hash = ?', hash(id));
  }

  /** Ends all sessions of an account. Returns how many there were. */
  endSessions(account: string): number {
    return this.#sql
      .exec('DELETE FROM sessions WHERE account = ? RETURNING hash', account)
      .toArray().length;
  }

  #remember(table: 'links' | 'sessions', { account, operator }: Identity, lifeMs: number): string {
    const now = Date.now();
    this.#sql.exec(`DELETE FROM ${table} WHERE expires_at <= ?`, now);
    const name = randomBytes(24).toString('base64url');
    this.#sql.exec(
      `INSERT INTO ${table} VALUES (?, ?, ?, ?)`,
      hash(name),
      account,
      Number(operator),
      now + lifeMs,
    );
    return name;
  }

  #identity(query: string, name: string): Identity | undefined {
    const [row] = this.#sql
      .exec<{ account: string; operator: number }>(query, hash(name), Date.now())
      .toArray();
    return row && { account: row.account, operator: row.operator === 1 };
  }

  /** 256 random bits in base64url, made once: sessions are signed with them. */
  sessionKey(): string {
    const made = randomBytes(32).toString('base64url');
    return this.#sql
      .exec<{ key: string }>(
        'INSERT INTO session_key VALUES (1, ?) ON CONFLICT DO UPDATE SET key = key RETURNING key',
        made,
      )
      .one().key;
  }
}

/** What is hashed is random, so that a plain hash tells nothing. */
const hash = (name: string) => createHash('sha256').update(name).digest('hex');
