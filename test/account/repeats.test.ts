import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { Repeats } from '../../src/account/repeats.ts';

it('reads as few rows among 20,000 stored answers as among none', async () => {
  await runInDurableObject(env.ACCOUNTS.getByName('repeats'), (_, { storage }) => {
    const cursors: SqlStorageCursor<never>[] = [];
    const exec = (query: string, ...values: unknown[]) => {
      const cursor = storage.sql.exec<never>(query, ...values);
      cursors.push(cursor);
      return cursor;
    };
    const repeats = new Repeats({ exec } as unknown as SqlStorage);
    storage.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
       INSERT INTO repeats (key, expires_at) SELECT 'key-' || i, ? FROM n`,
      Date.now() + 60_000,
    );
    cursors.length = 0;
    expect(repeats.begin('new', 1000)).toEqual({ state: 'new' });
    expect(repeats.begin('key-7', 1000)).toEqual({ state: 'running' });
    const rowsRead = cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
    expect(rowsRead).toBeLessThan(20);
  });
});
