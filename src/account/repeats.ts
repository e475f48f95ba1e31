/** A stored answer, which is sent again for a repeated `Idempotency-Key`. */
export interface KeptAnswer {
  /** Media type. */
  type: string;
  /** Headers that the tool itself has set. */
  headers: Record<string, string>;
  /** The body, or the key of the R2 object that holds the body. */
  body: Uint8Array | { object: string };
}

/** The state of a call with an `Idempotency-Key`. */
export type Repeat =
  | { state: 'new' }
  /** The first call with this key still runs. */
  | { state: 'running' }
  | { state: 'answered'; fingerprint: string; answer: KeptAnswer };

/** Seconds for which an answer is stored. */
export const answerLifeSeconds = 24 * 3600;

interface Row extends Record<string, SqlStorageValue> {
  fingerprint: string | null;
  type: string | null;
  headers: string | null;
  bytes: ArrayBuffer | null;
  object: string | null;
}

/** Stores the answers to calls with an `Idempotency-Key`. Part of the account's Durable Object. */
export class Repeats {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS repeats (
      key TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, fingerprint TEXT,
      type TEXT, headers TEXT, bytes BLOB, object TEXT)`);
    // Every call deletes expired answers. Without the index, SQLite would read all stored answers for that.
    sql.exec('CREATE INDEX IF NOT EXISTS repeats_by_expiry ON repeats (expires_at)');
  }

  /**
   * Begins a call and returns `new`; or returns the state of the earlier call with the same key.
   *
   * @param longestCallMs milliseconds after which a call without an answer is forgotten
   */
  begin(key: string, longestCallMs: number): Repeat {
    const now = Date.now();
    this.#sql.exec('DELETE FROM repeats WHERE expires_at <= ?', now);
    const [row] = this.#sql.exec<Row>('SELECT * FROM repeats WHERE key = ?', key).toArray();
    if (!row) {
      this.#sql.exec(
        'INSERT INTO repeats (key, expires_at) VALUES (?, ?)',
        key,
        now + longestCallMs,
      );
      return { state: 'new' };
    }
    if (row.fingerprint === null) return { state: 'running' };
    const { fingerprint, type, headers, bytes, object } = row;
    const body = object === null ? new Uint8Array(bytes!) : { object };
    const answer = { type: type!, headers: JSON.parse(headers!) as Record<string, string>, body };
    return { state: 'answered', fingerprint, answer };
  }

  /** Stores the answer to a call that {@link begin} has begun. */
  keep(key: string, fingerprint: string, { type, headers, body }: KeptAnswer): void {
    const isInline = body instanceof Uint8Array;
    this.#sql.exec(
      `UPDATE repeats SET expires_at = ?, fingerprint = ?, type = ?, headers = ?, bytes = ?, object = ?
       WHERE key = ?`,
      Date.now() + answerLifeSeconds * 1000,
      fingerprint,
      type,
      JSON.stringify(headers),
      isInline ? body : null,
      isInline ? null : body.object,
      key,
    );
  }

  /** Forgets a call that ended without a successful answer, so that the key may be used again. */
  forget(key: string): void {
    this.#sql.exec('DELETE FROM repeats WHERE key = ?', key);
  }
}
