import { DurableObject } from 'cloudflare:workers';
import { createHash, randomBytes } from 'node:crypto';

/** As whom a link signs in. */
export interface Identity {
  account: string;
  /** Sees all accounts and grants credits. */
  operator: boolean;
}

/** Milliseconds for which a sign-in link can be used. */
const linkLife = 24 * 3600_000;
/** Wrong secrets that one address may send in this many milliseconds; then it waits. */
const guessesAllowed = 10;
const guessWindow = 15 * 60_000;

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
      CREATE TABLE IF NOT EXISTS guesses (address TEXT NOT NULL, at INTEGER NOT NULL);
      CREATE INDEX IF NOT EXISTS guesses_of_address ON guesses (address, at);
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
  createLink({ account, operator }: Identity): string {
    const token = randomBytes(24).toString('base64url');
    this.#sql.exec(
      'INSERT INTO links VALUES (?, ?, ?, ?)',
      hash(token),
      account,
      Number(operator),
      Date.now() + linkLife,
    );
    return token;
  }

  /** As whom the token signs in; undefined if it was used, is too old, or never was. */
  useLink(token: string): Identity | undefined {
    this.#sql.exec('DELETE FROM links WHERE expires_at <= ?', Date.now());
    const [row] = this.#sql
      .exec<{ account: string; operator: number }>(
        'DELETE FROM links WHERE hash = ? RETURNING account, operator',
        hash(token),
      )
      .toArray();
    return row && { account: row.account, operator: row.operator === 1 };
  }

  /**
   * Hears of a secret that an address sent, and returns the seconds it has to wait before another
   * one counts; 0 as long as not too many were wrong. While it waits, right ones do not count either.
   */
  guessed(address: string, right: boolean): number {
    const now = Date.now();
    this.#sql.exec('DELETE FROM guesses WHERE at <= ?', now - guessWindow);
    const wrong = this.#sql
      .exec<{ at: number }>('SELECT at FROM guesses WHERE address = ? ORDER BY at', address)
      .toArray();
    const [oldest] = wrong;
    if (oldest && wrong.length >= guessesAllowed) {
      return Math.ceil((oldest.at + guessWindow - now) / 1000);
    }
    if (!right) this.#sql.exec('INSERT INTO guesses VALUES (?, ?)', address, now);
    return 0;
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

/** Tokens are random, so that a plain hash of one tells nothing. */
const hash = (token: string) => createHash('sha256').update(token).digest('hex');
