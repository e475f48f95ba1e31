/** What is kept of an answer, to be given again. */
export interface KeptAnswer {
  /** Media type. */
  type: string;
  /** Headers of the tool's own. */
  headers: Record<string, string>;
  /** The body, or in which object of R2 it lies. */
  body: Uint8Array | { object: string };
}

/** How a call with an `Idempotency-Key` stands. */
export type Repeat =
  | { state: 'new' }
  /** The first call is under way. */
  | { state: 'running' }
  | { state: 'answered'; fingerprint: string; answer: KeptAnswer };

/** Seconds for which an answer is kept. */
export const keptFor = 24 * 3600;
interface Row extends Record<string, SqlStorageValue> {
  fingerprint: string | null;
  type: string | null;
  headers: string | null;
  bytes: ArrayBuffer | null;
  object: string | null;
}

/** The repeated calls of one account; a part of its Durable Object. */
export class Repeats {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS repeats (
      key TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, fingerprint TEXT,
      type TEXT, headers TEXT, bytes BLOB, object TEXT)`);
  }

  /**
   * Begins a call, unless it was begun before.
   *
   * @param longestCallMs milliseconds after which a call that never ended counts for nothing
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

  /** Keeps the answer to a call that was begun. */
  keep(key: string, fingerprint: string, { type, headers, body }: KeptAnswer): void {
    const isInline = body instanceof Uint8Array;
    this.#sql.exec(
      `UPDATE repeats SET expires_at = ?, fingerprint = ?, type = ?, headers = ?, bytes = ?, object = ?
       WHERE key = ?`,
      Date.now() + keptFor * 1000,
      fingerprint,
      type,
      JSON.stringify(headers),
      isInline ? body : null,
      isInline ? null : body.object,
      key,
    );
  }

  /** A call that was begun has no answer to keep; it may begin anew. */
  forget(key: string): void {
    this.#sql.exec('DELETE FROM repeats WHERE key = ?', key);
  }
}
