import { beforeAll, describe, expect, it } from 'vitest';
import { app } from '../../src/http/app.ts';
import { createKey } from '../../src/account/key.ts';
import { newAccount } from '../account/accounts.ts';
import { post, send } from './client.ts';

let account: Awaited<ReturnType<typeof newAccount>>;
let key: string;
beforeAll(async () => {
  account = await newAccount(1_000_000);
  key = account.key;
});

describe('who calls', () => {
  it('answers 401 without a key, in exactly these words', async () => {
    const { status, text, headers } = await post('hash', { input: 'a' });
    expect([status, text]).toEqual([401, '{"message":"missing api key"}']);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    ['another scheme', { authorization: 'Basic abc' }],
    ['no key after the scheme', { authorization: 'Bearer' }],
    ['a mistyped key', { authorization: `Bearer ${createKey().slice(0, -1)}_` }],
    ['a key that nobody made', { authorization: `Bearer ${createKey()}` }],
  ])('answers 401 to %s', async (_, headers) => {
    const { status, text } = await post('hash', { input: 'a' }, undefined, headers);
    expect([status, text]).toEqual([401, '{"message":"invalid api key"}']);
  });

  it('answers 401 to a revoked key, also when the call would fail anyway', async () => {
    const other = await newAccount(10);
    await other.stub.revokeKey(other.id);
    for (const body of [{ input: 'a' }, { wrong: 1 }, 'no json']) {
      expect((await post('hash', body, other.key)).text).toBe('{"message":"invalid api key"}');
    }
  });

  it('does not mind the case of the scheme', async () => {
    expect(
      (await post('hash', { input: 'a' }, undefined, { authorization: `bearer ${key}` })).status,
    ).toBe(200);
  });
});

describe('every answer', () => {
  it('says what it cost and what is left', async () => {
    const other = await newAccount(10);
    const good = await post('hash', { input: 'a' }, other.key);
    expect(good.headers.get('x-credits-cost')).toBe('1');
    expect(good.headers.get('x-credits-remaining')).toBe('9');
    const bad = await post('hash', {}, other.key);
    expect([
      bad.status,
      bad.headers.get('x-credits-cost'),
      bad.headers.get('x-credits-remaining'),
    ]).toEqual([422, '0', '9']);
  });

  it('knows the balance even if its first call fails', async () => {
    const other = await newAccount(7);
    expect((await post('hash', {}, other.key)).headers.get('x-credits-remaining')).toBe('7');
  });

  it('names the call, keeping a well-formed name', async () => {
    expect(
      (await post('hash', { input: 'a' }, key, { 'x-request-id': 'my-call-1' })).headers.get(
        'x-request-id',
      ),
    ).toBe('my-call-1');
    expect(
      (await post('hash', { input: 'a' }, key, { 'x-request-id': 'a b<c>' })).headers.get(
        'x-request-id',
      ),
    ).toMatch(/^[\w-]{36}$/);
  });

  it('carries timing, rate limit and CORS headers', async () => {
    const { headers } = await post('hash', { input: 'a' }, key);
    expect(headers.get('server-timing')).toMatch(
      /key;dur=[\d.]+, body;dur=[\d.]+, tool;dur=[\d.]+/,
    );
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=1000000;w=60');
    expect(headers.get('ratelimit')).toMatch(/^"minute";r=\d+;t=\d+$/);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const elsewhere = await post('hash', { input: 'a' }, key, { origin: 'https://example.com' });
    expect(elsewhere.headers.get('access-control-allow-origin')).toBe('*');
    expect(elsewhere.headers.get('access-control-expose-headers')).toBe('*');
  });

  it('lets browsers ask first', async () => {
    const { status, headers } = await send('/api/hash', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type');
  });
});

it('goes by the quickest of Hono’s routers, which not every set of paths is for', async () => {
  await app.request('/');
  expect(app.router.name).toBe('SmartRouter + RegExpRouter');
});

describe('what is refused before the tool', () => {
  it('404 for a path that is none, before the key', async () => {
    expect(await post('nothing', {})).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('405 with Allow for another method, before the key', async () => {
    const { status, headers } = await send('/api/hash');
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', ''])(
    '415 for Content-Type "%s"',
    async (type) => {
      const { status, body } = await post('hash', '{"input":"a"}', key, { 'content-type': type });
      expect(status).toBe(415);
      expect(body.message).toContain('send Content-Type: application/json');
    },
  );

  it('takes JSON under its other names', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'application/problem+json',
      'Application/JSON',
    ]) {
      expect((await post('hash', { input: 'a' }, key, { 'content-type': type })).status).toBe(200);
    }
  });

  it('says what is wrong at a length that one reads, whatever came in', async () => {
    const [long, many] = ['Europe/'.repeat(100_000), Array.from({ length: 50_000 }, () => 'X')];
    for (const [tool, input] of [
      ['cron', { action: 'next_runs', expression: '* * * * *', timezone: long }],
      ['dns-lookup', { domain: 'example.com', record_types: many }],
      ['format-code', { language: 'js', files: { [long]: '(' } }],
    ] as const) {
      const { status, body } = await post(tool, input, key);
      expect([400, 422]).toContain(status);
      expect(body.errors).not.toHaveLength(0);
      expect(JSON.stringify(body).length).toBeLessThan(20_000);
    }
  });

  it('415 for a compressed body, however much there may be in it', async () => {
    for (const encoding of ['gzip', 'br', 'deflate, gzip']) {
      const headers = { 'content-encoding': encoding };
      const { status, body } = await post('hash', '{"input":"a"}', key, headers);
      expect(status).toBe(415);
      expect(body.message).toContain(`without Content-Encoding: ${encoding}`);
    }
    const plain = { 'content-encoding': 'Identity' };
    expect((await post('hash', { input: 'a' }, key, plain)).status).toBe(200);
  });

  it('413 for a body over the limit, declared or not', async () => {
    const large = JSON.stringify({ input: 'a'.repeat(11 * 1024 * 1024) });
    expect(await post('hash', large, key)).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
    const streamed = await send('/api/hash', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: new Blob([large]).stream(),
    });
    expect(streamed.status).toBe(413);
  });

  it.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('400 for %s', async (_, body) => {
    const reply = await send('/api/hash', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
    });
    expect(reply).toMatchObject({ status: 400, body: { code: 'malformed_body' } });
  });

  it.each(['[]', '"text"', '1', 'null', 'true'])(
    '422 for a body that is no object: %s',
    async (body) => {
      expect((await post('hash', body, key)).status).toBe(422);
    },
  );

  it('422 for a lone surrogate anywhere, naming the place', async () => {
    expect((await post('hash', '{"input":"\\ud800"}', key)).body.errors).toMatchObject([
      { path: 'input' },
    ]);
    expect(
      (await post('format-code', '{"language":"js","files":{"a.js":"\\uDC00"}}', key)).body.errors,
    ).toMatchObject([{ path: 'files.a.js' }]);
    expect((await post('hash', '{"input":"\\ud83d\\ude00"}', key)).status).toBe(200);
  });

  it('422 that names every wrong field and the fix', async () => {
    const { status, body } = await post('hash', { algorithm: 'crc', encoding: 5 }, key);
    expect(status).toBe(422);
    expect(body.code).toBe('invalid_input');
    expect(body.errors.map(({ path }) => path)).toEqual(['input', 'algorithm', 'encoding']);
    expect(body.message).toContain('input: is required');
    expect(body.message).toContain('sha256');
  });

  it('ignores unknown fields and reads null as absent', async () => {
    expect(
      (await post('hash', { input: 'a', colour: 'red', algorithm: null }, key)).body,
    ).toMatchObject({ algorithm: 'sha256' });
    expect((await post('hash', '{"input":"a","__proto__":null}', key)).status).toBe(200);
    expect((await post('hash', { input: null }, key)).status).toBe(422);
    expect(
      (await post('generate', { type: 'password', options: { symbols: null } }, key)).status,
    ).toBe(200);
  });

  it('402 without credits, and the tool is not paid', async () => {
    const poor = await newAccount(0);
    expect(await post('hash', { input: 'a' }, poor.key)).toMatchObject({
      status: 402,
      body: { message: 'insufficient credits', code: 'insufficient_credits' },
    });
  });
});

describe('hostile bodies', () => {
  it('survives a hundred thousand levels', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect((await post('hash', `{"input":"a","x":${deep}}`, key)).status).toBe(200);
    expect((await post('hash', `{"input":${deep}}`, key)).status).toBe(422);
    expect((await post('validate', { type: 'json', input: deep }, key)).body).toMatchObject({
      valid: true,
    });
    for (const type of ['yaml', 'toml', 'json_schema', 'regex']) {
      expect([200, 413, 422]).toContain(
        (await post('validate', { type, input: deep }, key)).status,
      );
    }
    expect(
      (await post('format-code', { language: 'js', code: '('.repeat(100_000) }, key)).status,
    ).toBe(422);
  });

  it('is not fooled by names of prototypes', async () => {
    expect((await post('hash', '{"__proto__":{"input":"a"}}', key)).status).toBe(422);
    expect(
      (await post('hash', '{"input":"a","constructor":{"prototype":{"x":1}}}', key)).status,
    ).toBe(200);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe('rate limits', () => {
  const from = (address: string) => ({ 'cf-connecting-ip': address });

  const mcp = async (message: object, headers: Record<string, string>) => {
    const accept = 'application/json, text/event-stream';
    const { text } = await send('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers },
      body: JSON.stringify(message),
    });
    return text;
  };

  it('counts every call of an MCP batch', async () => {
    const calls = Array.from({ length: 100 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'json-escape', arguments: { input: 'a' } },
    }));
    const headers = { 'mcp-protocol-version': '2025-03-26', ...from('192.0.2.4') };
    const text = `${await mcp(calls, headers)}${await mcp(calls, headers)}`;
    const [answered, refused] = ['"structuredContent":', '"status":429'].map(
      (mark) => text.split(mark).length - 1,
    );
    expect(answered! + refused!).toBe(200);
    // 60, and the first of each, which is counted with the message; as many again when a minute begins.
    expect(answered).toBeGreaterThanOrEqual(61);
    expect(answered).toBeLessThanOrEqual(122);
  });

  it('429 with Retry-After for an address that uses the free tool too often', async () => {
    const replies = [];
    // Twice the limit, so that a minute that begins in between changes nothing.
    for (let i = 0; i < 122; i++) {
      replies.push(await post('json-escape', { input: 'a' }, undefined, from('192.0.2.1')));
    }
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body.code).toBe('rate_limited');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await post('json-escape', { input: 'a' }, undefined, from('192.0.2.2'));
    expect(other.status).toBe(200);
  });

  it('does not limit the address of someone with a key', async () => {
    for (let i = 0; i < 70; i++) {
      expect((await post('json-escape', { input: 'a' }, key, from('192.0.2.3'))).status).toBe(200);
    }
  });
});

describe('uploads', () => {
  const upload = (form: FormData | string, type?: string) =>
    send('/api/detect-file/upload', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...(type && { 'content-type': type }) },
      body: form,
    });

  it('takes a file of a form', async () => {
    const form = new FormData();
    form.set('file', new File(['%PDF-1.7\n'], 'x'));
    expect((await upload(form)).body).toMatchObject({ mime_type: 'application/pdf' });
  });

  it('refuses a form without the file, a broken form and no form', async () => {
    const form = new FormData();
    form.set('other', 'x');
    expect((await upload(form)).status).toBe(422);
    form.set('file', 'a text');
    expect((await upload(form)).body.errors).toMatchObject([{ path: 'file' }]);
    expect((await upload('nonsense', 'multipart/form-data; boundary=x')).status).toBe(400);
    expect((await upload('{}', 'application/json')).status).toBe(415);
  });

  it('413 for a file over 10 MB, by either way', async () => {
    const bytes = new Uint8Array(10 * 1024 * 1024 + 1);
    const form = new FormData();
    form.set('file', new File([bytes], 'x'));
    expect((await upload(form)).status).toBe(413);
    expect(
      (await post('detect-file', { content: Buffer.from(bytes).toString('base64') }, key)).status,
    ).toBe(413);
  });
});

describe('json-escape', () => {
  it('needs no key and costs nothing', async () => {
    const { status, body, headers } = await post('json-escape', { input: 'a"b' }, undefined, {
      'cf-connecting-ip': '192.0.2.9',
    });
    expect([status, body, headers.get('x-credits-cost')]).toEqual([
      200,
      { output: 'a\\"b', action: 'escape' },
      '0',
    ]);
  });

  it('takes and gives plain text', async () => {
    const { text, headers } = await post('json-escape', 'a"b\n', key, {
      'content-type': 'text/plain',
    });
    expect([text, headers.get('content-type')]).toEqual(['a\\"b\\n', 'text/plain; charset=utf-8']);
  });
});

describe('the rest of the house', () => {
  it('says what it is, and how its parts are', async () => {
    expect((await send('/')).body).toMatchObject({ openapi: 'http://service/openapi.json' });
    expect((await send('/health')).body).toEqual({
      status: 'ok',
      parts: { keys: 'ok', accounts: 'ok', files: 'ok', converter: 'ok' },
    });
  });

  it('keeps the operator’s routes for the operator', async () => {
    const ask = (secret: string, path: string, init: RequestInit = {}) =>
      send(`/admin/accounts/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      });
    expect((await ask('guess', 'someone')).status).toBe(401);
    expect((await send('/admin/accounts/someone')).status).toBe(401);
    const made = await ask('operator', 'someone/keys', {
      method: 'POST',
      body: '{"name":"laptop"}',
    });
    expect(made.body).toMatchObject({ key: expect.stringMatching(/^sk_svc_/) as string });
    expect(
      (await ask('operator', 'someone/credits', { method: 'POST', body: '{"credits":5}' })).body,
    ).toEqual({ credits: 5 });
    expect(
      (await ask('operator', 'someone/credits', { method: 'POST', body: '{"credits":-5}' })).status,
    ).toBe(422);
    expect((await post('hash', { input: 'a' }, made.body.key as string)).status).toBe(200);
    expect(
      (await ask('operator', `someone/keys/${String(made.body.id)}`, { method: 'DELETE' })).status,
    ).toBe(200);
    expect((await ask('operator', 'someone/keys/nothing', { method: 'DELETE' })).status).toBe(404);
    expect((await ask('operator', 'someone')).body).toMatchObject({
      keys: [{ name: 'laptop', revoked_at: expect.any(Number) as number }],
    });
  });
});
