import { DurableObject } from 'cloudflare:workers';
import { createHash, randomBytes } from 'node:crypto';

/** The account, and its rights, of a sign-in link or a session. */
export interface Identity {
  account: string;
  /** An operator sees all accounts and grants credits. */
  operator: boolean;
}

/** Milliseconds after which a sign-in link expires. */
const linkLifeMs = 24 * 3600_000;

/** Returns the stub of the service's one registry. */
export const registryOf = (env: Env) => env.REGISTRY.getByName('registry');

/**
 * Holds the names of all accounts, the sign-in links and the sessions. The service has one registry, which
 * calls of tools never use. storage-schema.md describes the tables.
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
      CREATE INDEX IF NOT EXISTS links_by_expiry ON links (expires_at);
      CREATE INDEX IF NOT EXISTS sessions_by_expiry ON sessions (expires_at);
      CREATE INDEX IF NOT EXISTS sessions_by_account ON sessions (account);
      CREATE TABLE IF NOT EXISTS session_key (
        id INTEGER PRIMARY KEY CHECK (id = 1), key TEXT NOT NULL);`);
  }

  /** Adds an account to the list. Adding a listed account has no effect. */
  list(account: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO accounts VALUES (?)', account);
  }

  /** Returns sorted account names: up to `limit` names that contain `search` and sort after `after`. */
  accounts({ search = '', after = '', limit = 25 }): string[] {
    const query = `SELECT name FROM accounts WHERE instr(lower(name), lower(?)) > 0 AND name > ?
      ORDER BY name LIMIT ?`;
    return this.#sql
      .exec<{ name: string }>(query, search, after, limit)
      .toArray()
      .map(({ name }) => name);
  }

  /** Creates a token that signs in once, within a day. Only its hash is stored. */
  createLink(identity: Identity): string {
    return this.#remember('links', identity, linkLifeMs);
  }

  /** Uses up a sign-in token and returns its identity; undefined if it is unknown, used or expired. */
  useLink(token: string): Identity | undefined {
    return this.#identity('DELETE FROM links WHERE hash = ? AND expires_at > ? RETURNING *', token);
  }

  /**
   * Creates a session that lasts `lifeMs` milliseconds and returns its id. Only the hash of the id is stored.
   */
  createSession(identity: Identity, lifeMs: number): string {
    return this.#remember('sessions', identity, lifeMs);
  }

  /** Returns the identity of a session; undefined if the session is unknown or has ended. */
  session(id: string): Identity | undefined {
    return this.#identity('SELECT * FROM sessions WHERE hash = ? AND expires_at > ?', id);
  }

  endSession(id: string): void {
    this.#sql.exec('DELETE FROM sessions WHERE hash = ?', hash(id));
  }

  /** Ends all sessions of an account. Returns their number. */
  endSessions(account: string): number {
    return this.#sql
      .exec('DELETE FROM sessions WHERE account = ? RETURNING hash', account)
      .toArray().length;
  }

  #remember(table: 'links' | 'sessions', { account, operator }: Identity, lifeMs: number): string {
    const now = Date.now();
    this.#sql.exec(`DELETE FROM ${table} WHERE expires_at <= ?`, now);
    const token = randomBytes(24).toString('base64url');
    this.#sql.exec(
      `INSERT INTO ${table} VALUES (?, ?, ?, ?)`,
      hash(token),
      account,
      Number(operator),
      now + lifeMs,
    );
    return token;
  }

  #identity(query: string, token: string): Identity | undefined {
    const [row] = this.#sql
      .exec<{ account: string; operator: number }>(query, hash(token), Date.now())
      .toArray();
    return row && { account: row.account, operator: row.operator === 1 };
  }

  /** Returns the key that signs session cookies: 256 random bits in base64url, generated on first use. */
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

/** Tokens are 192 random bits and cannot be guessed from an unsalted hash. */
const hash = (token: string) => createHash('sha256').update(token).digest('hex');
