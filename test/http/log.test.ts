import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newAccount } from '../account/accounts.ts';
import { post, send } from './client.ts';

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => vi.restoreAllMocks());

const written = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

it('has one line for each call: who, what, how it ended, what it cost and how long it took', async () => {
  const { key, name } = await newAccount(10);
  await post('hash', { input: 'a' }, key, { 'x-request-id': 'first' });
  await post('hash', {}, key, { 'x-request-id': 'second' });
  await post('hash', { input: 'a' }, 'sk_svc_wrong', { 'x-request-id': 'third' });
  await post('json-escape', { input: 'a' });
  const call = { event: 'call', door: 'http', tool: 'hash', account: name };
  const ms = expect.any(Number) as number;
  expect(written()).toEqual([
    { ...call, request_id: 'first', status: 200, code: null, cost: 1, ms },
    { ...call, request_id: 'second', status: 422, code: 'invalid_input', cost: 0, ms },
    {
      ...call,
      account: null,
      request_id: 'third',
      status: 401,
      code: 'invalid_api_key',
      cost: 0,
      ms,
    },
    expect.objectContaining({ tool: 'json-escape', account: null, status: 200, cost: 0 }),
  ]);
});

it('says that a repeated call cost nothing', async () => {
  const { key } = await newAccount(10);
  for (let i = 0; i < 2; i++) {
    await post('hash', { input: 'a' }, key, { 'idempotency-key': 'again' });
  }
  expect(written().map(({ cost }) => cost)).toEqual([1, 0]);
});

it('has calls of AI agents too', async () => {
  const { key, name } = await newAccount(10);
  await send('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'hash', arguments: { input: 'a' } },
    }),
  });
  expect(written()).toMatchObject([{ door: 'mcp', tool: 'hash', account: name, cost: 1 }]);
});

it('never has what came in, what went out, or a key', async () => {
  const { key } = await newAccount(50);
  const secret = 'correct horse battery staple';
  await post('slug', { input: secret }, key);
  await post('validate', { type: 'json', input: secret }, key);
  await post('format-code', { language: 'js', code: `${secret}(` }, key);
  await post('generate', { type: secret }, key);
  await post('cron', { action: secret }, key);
  await post('hash', `{"input":"${secret}`, key);
  expect(lines).toHaveLength(6);
  expect(lines.join('\n')).not.toMatch(/correct|horse|sk_svc/);
});
