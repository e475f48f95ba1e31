import { runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../../src/account/account.ts';
import { newAccount } from '../account/accounts.ts';
import { post, send } from './client.ts';

let account: Awaited<ReturnType<typeof newAccount>>;
beforeEach(async () => {
  account = await newAccount(100);
});

const again = (key: string) => ({ 'idempotency-key': key });
/** Waits until all is settled, and says what was charged. */
const charged = () =>
  expect
    .poll(async () => (await account.stub.describe()).lent, { timeout: 5000 })
    .toBe(0)
    .then(async () => 100 - (await account.stub.describe()).credits);

/** A file as a form, whose boundary is another one each time. */
function upload(path: string, content: string, headers: Record<string, string>) {
  const form = new FormData();
  form.set('file', new File([content], 'file.txt'));
  form.set('options', '{}');
  return send(`/api/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, ...headers },
    body: form,
  });
}

describe('a call with an Idempotency-Key', () => {
  it('is answered again as it was, for nothing', async () => {
    const first = await post('uuid', { action: 'generate' }, account.key, again('a'));
    const second = await post('uuid', { action: 'generate' }, account.key, again('a'));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
    expect(first.headers.get('x-credits-cost')).toBe('1');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('x-credits-cost')).toBe('0');
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('content-type')).toBe('application/json');
    expect(await charged()).toBe(1);
  });

  it('is the same with quotes and without', async () => {
    const first = await post('uuid', { action: 'generate' }, account.key, again('"b"'));
    const second = await post('uuid', { action: 'generate' }, account.key, again('b'));
    expect(second.text).toBe(first.text);
  });

  it('is another one of another account', async () => {
    const other = await newAccount(10);
    const first = await post('uuid', { action: 'generate' }, account.key, again('c'));
    const second = await post('uuid', { action: 'generate' }, other.key, again('c'));
    expect(second.text).not.toBe(first.text);
  });

  it.each([
    ['another body', () => post('hash', { input: 'b' }, account.key, again('d'))],
    ['another tool', () => post('slug', { input: 'a' }, account.key, again('d'))],
    ['a form', () => upload('detect-file/upload', 'a', again('d'))],
  ])('is a 422 with %s', async (_, repeat) => {
    expect((await post('hash', { input: 'a' }, account.key, again('d'))).status).toBe(200);
    const { status, body } = await repeat();
    expect(status).toBe(422);
    expect(body.message).toContain('Idempotency-Key');
    expect(await charged()).toBe(1);
  });

  it('may be a form, whatever its boundary', async () => {
    const first = await upload('detect-file/upload', '# Hello', again('e'));
    const second = await upload('detect-file/upload', '# Hello', again('e'));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const third = await upload('detect-file/upload', '# Hell', again('e'));
    expect(third.status).toBe(422);
  });

  it('compares all of a body but the boundary lines of a form', async () => {
    const type = { 'content-type': 'application/json; boundary=AAA' };
    const otherType = { 'content-type': 'application/json; boundary=BBB' };
    const first = { input: 'AAAx' };
    expect((await post('hash', first, account.key, { ...again('g'), ...type })).status).toBe(200);
    const second = await post('hash', { input: 'BBBx' }, account.key, {
      ...again('g'),
      ...otherType,
    });
    expect(second.status).toBe(422);
    const form = (text: string) =>
      send('/api/detect-file/upload', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${account.key}`,
          'content-type': 'multipart/form-data; boundary=x',
          ...again('h'),
        },
        body: `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${text}\r\n--x--\r\n`,
      });
    expect((await form('a --x b')).status).toBe(200);
    expect((await form('a  b')).status).toBe(422);
    expect((await form('a --x b')).headers.get('idempotent-replayed')).toBe('true');
  });

  it('may be a document, which passes through unread', async () => {
    const input = { content: '# Hello', from: 'markdown', to: 'html' };
    const first = await post('convert-document', input, account.key, again('f'));
    const second = await post('convert-document', input, account.key, again('f'));
    expect(second.text).toBe(first.text);
    expect(first.text).toContain('<h1');
    const third = await post('convert-document', { ...input, to: 'rst' }, account.key, again('f'));
    expect(third.status).toBe(422);
    expect(await charged()).toBe(5);
  });

  it('may have a large answer', async () => {
    const input = 'a'.repeat(300_000);
    const first = await post(
      'encode',
      { input, format: 'hex', action: 'encode' },
      account.key,
      again('g'),
    );
    const second = await post(
      'encode',
      { input, format: 'hex', action: 'encode' },
      account.key,
      again('g'),
    );
    expect(first.status, first.text.slice(0, 200)).toBe(200);
    expect(second.text.length).toBeGreaterThan(600_000);
    expect(second.text).toBe(first.text);
  });

  it('that failed may be tried again', async () => {
    const poor = await newAccount(0);
    expect((await post('hash', { input: 'a' }, poor.key, again('h'))).status).toBe(402);
    await poor.stub.grant(poor.name, 5);
    expect((await post('hash', { input: 'a' }, poor.key, again('h'))).status).toBe(200);
    expect((await post('hash', {}, account.key, again('i'))).status).toBe(422);
    expect((await post('hash', { input: 'a' }, account.key, again('i'))).status).toBe(200);
  });

  it('is a 409 while the first one runs, and runs once', async () => {
    const calls = await Promise.all(
      Array.from({ length: 10 }, () =>
        post('uuid', { action: 'generate' }, account.key, again('j')),
      ),
    );
    const statuses = new Set(calls.map(({ status }) => status));
    expect([...statuses].toSorted()).toEqual([200, 409]);
    const fresh = calls.filter(
      ({ status, headers }) => status === 200 && !headers.has('idempotent-replayed'),
    );
    expect(fresh).toHaveLength(1);
    expect(calls.find(({ status }) => status === 409)!.headers.get('retry-after')).toBe('1');
    expect(await charged()).toBe(1);
  });

  it('is new again after a day', async () => {
    const first = await post('uuid', { action: 'generate' }, account.key, again('k'));
    await runInDurableObject(account.stub, (_: Account, { storage }) => {
      storage.sql.exec('UPDATE repeats SET expires_at = expires_at - 24 * 3600 * 1000');
    });
    const second = await post('uuid', { action: 'generate' }, account.key, again('k'));
    expect(second.text).not.toBe(first.text);
  });

  it('gives nothing to a key that was revoked', async () => {
    await post('uuid', { action: 'generate' }, account.key, again('l'));
    await account.stub.revokeKey(account.id);
    await scheduler.wait(1000);
    const answer = await post('uuid', { action: 'generate' }, account.key, again('l'));
    expect(answer.status).toBe(401);
  });

  it('keeps no name and no input of a call in clear', async () => {
    await post('hash', { input: 'my secret input' }, account.key, again('my secret name'));
    const rows = await runInDurableObject(account.stub, (_: Account, { storage }) =>
      JSON.stringify(storage.sql.exec('SELECT key, fingerprint FROM repeats').toArray()),
    );
    expect(rows).not.toMatch(/my secret/);
  });

  it.each(['', '"', 'ä', 'x'.repeat(256)])('is a 400 as %j', async (key) => {
    const { status, body } = await post('hash', { input: 'a' }, account.key, again(key));
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  it('is another one with another media type, whatever its parameters', async () => {
    const typed = (type: string) =>
      post('uuid', { action: 'generate' }, account.key, { ...again('m'), 'content-type': type });
    const first = await typed('application/json');
    expect((await typed('Application/JSON; charset=utf-8')).text).toBe(first.text);
    expect((await typed('application/problem+json')).status).toBe(422);
  });

  it('runs each time and keeps nothing, where nothing is paid', async () => {
    for (const input of ['a', 'b']) {
      const answer = await post('json-escape', { input }, account.key, again('n'));
      expect([answer.status, answer.body.output]).toEqual([200, input]);
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
    }
    const rows = await runInDurableObject(account.stub, (_: Account, { storage }) =>
      storage.sql.exec('SELECT key FROM repeats').toArray(),
    );
    expect(rows).toEqual([]);
  });

  it('does not matter where nothing is paid', async () => {
    const { status } = await send('/api/json-escape', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'x' },
      body: '{"input":"a"}',
    });
    expect(status).toBe(200);
  });
});
