import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { callWithInput } from '../../src/call.ts';
import { anonymous } from '../../src/account/caller.ts';
import { contextOf } from '../../src/context.ts';
import { ignoredInWords, type IgnoredFields } from '../../src/shared/ignored-fields.ts';
import { formatCode } from '../../src/tools/format-code/index.ts';
import { serveJob } from '../../src/workshop/serve.ts';
import { newAccount } from '../account/accounts.ts';
import { post, send } from './client.ts';

let key: string;
beforeAll(async () => {
  ({ key } = await newAccount(1_000_000));
});

const named = ({ headers }: { headers: Headers }) => [
  headers.get('x-ignored-fields'),
  headers.get('x-did-you-mean'),
];

describe('fields that a tool does not have', () => {
  it.each([
    ['hash', { input: 'a', algoritm: 'md5' }, 'algoritm', 'algoritm=algorithm'],
    ['hash', { input: 'a', colour: 'red' }, 'colour', null],
    ['hash', { input: 'a', options: { algorithm: 'md5' } }, 'options', null],
    ['slug', { input: 'a', maxLength: 3 }, 'maxLength', 'maxLength=max_length'],
    [
      'generate',
      { type: 'password', symbols: false, options: { number: false } },
      'symbols, options.number',
      'symbols=options.symbols, options.number=options.numbers',
    ],
    ['validate', { type: 'email', input: 'a@b.c', mod: 'html5' }, 'mod', 'mod=options.mode'],
    ['hash', { input: 'a', 'größe, ü': 1 }, 'gr%C3%B6%C3%9Fe%2C%20%C3%BC', null],
    ['hash', '{"input":"a","__proto__":{"input":"b"}}', '__proto__', null],
    ['diff', { original: 'a', modified: 'b', context: 1 }, 'context', 'context=context_lines'],
  ])('are named by %s beside its answer: %j', async (tool, body, fields, meant) => {
    const reply = await post(tool, body, key);
    expect([reply.status, ...named(reply)]).toEqual([200, fields, meant]);
  });

  it('are not named where there are none, nor keys of data', async () => {
    for (const [tool, body] of [
      ['hash', { input: 'a', algorithm: 'md5', key: null }],
      ['format-code', { language: 'js', files: { 'a.js': '1', language_: '1' } }],
      [
        'validate',
        {
          type: 'json_schema',
          input: '1',
          options: { schema: { typ: 'x', properties: { y: {} } } },
        },
      ],
    ] as const) {
      const reply = await post(tool, body, key);
      expect([reply.status, ...named(reply)]).toEqual([200, null, null]);
    }
  });

  it('are named in an error too, which says where a required field may be', async () => {
    const reply = await post('hash', { inputt: 'a' }, key);
    expect([reply.status, ...named(reply)]).toEqual([422, 'inputt', 'inputt=input']);
    expect(reply.body.message).toBe('input: is required (string); "inputt" is not a field');
    const form = await post('detect-file', { file: 'aGk=' }, key);
    expect([form.status, ...named(form)]).toEqual([422, 'file', 'file=content']);
    expect(form.body.message).toMatch(/; "file" is not a field$/);
    const other = await post('uuid', { operation: 'generate', version: 4 }, key);
    expect(named(other)).toEqual(['operation, version', 'operation=action']);
    expect(other.body.message).toMatch(/; "operation" is not a field$/);
    const late = await post('hash', { input: 'a', algorithm: 'hmac-sha256', keys: 'k' }, key);
    expect([late.status, ...named(late)]).toEqual([422, 'keys', 'keys=key']);
  });

  it('include a key that the algorithm does not use', async () => {
    for (const [algorithm, fields] of [
      ['sha256', 'key'],
      ['hmac-sha256', null],
    ]) {
      const reply = await post('hash', { input: 'a', key: 'k', algorithm }, key);
      expect([reply.status, ...named(reply)]).toEqual([200, fields, null]);
    }
  });

  it('are told at a length that fits into a header', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [`${i}${'x'.repeat(500)}`, 1]),
    );
    const reply = await post('hash', { input: 'a', ...many }, key);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-ignored-fields')!.length).toBeLessThan(2000);
  });

  it('are named again with the answer to a repeated call', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    for (const replayed of [null, 'true']) {
      const reply = await post('hash', { input: 'a', algoritm: 'md5' }, key, headers);
      expect(reply.headers.get('idempotent-replayed')).toBe(replayed);
      expect(named(reply)).toEqual(['algoritm', 'algoritm=algorithm']);
    }
  });

  it('are named by the workshop with answers and with errors', async () => {
    const binding = {
      fetch: (url: string, init: RequestInit) => serveJob(new Request(url, init), env),
    } as unknown as Fetcher;
    for (const [code, ending] of [
      ['1', 'answered'],
      ['(', 'refused'],
    ]) {
      const ignored: IgnoredFields = new Map();
      const { signal } = new AbortController();
      const client = { account: undefined, requestId: 'test', signal, ignored };
      const context = contextOf({ ...env, WORKSHOP: binding }, 'http://service/', client);
      const input = { language: 'js', code, config: { semicolon: false } };
      const answer = await callWithInput(formatCode, input, anonymous, context).then(
        () => 'answered',
        () => 'refused',
      );
      expect(answer).toBe(ending);
      expect(ignoredInWords(ignored)).toEqual([
        'config.semicolon (did you mean config.semicolons?)',
      ]);
    }
  });
});

describe('an error', () => {
  it.each([
    [5, 'must be a string, not 5'],
    [['a'], 'must be a string, not a list'],
    [{}, 'must be a string, not an object'],
    [null, 'must be a string, not null'],
  ])('repeats a value of a wrong type: %j', async (input, message) => {
    expect((await post('hash', { input }, key)).body.errors).toEqual([{ path: 'input', message }]);
  });

  it.each([
    [0, 'must be at least 1, not 0'],
    [1001, 'must be at most 1000, not 1001'],
    [1.5, 'must be an integer, not 1.5'],
    ['3', 'must be a number, not "3"'],
  ])('repeats a number out of its range: %j', async (count, message) => {
    const { body } = await post('uuid', { action: 'generate', count }, key);
    expect(body.errors).toEqual([{ path: 'count', message }]);
  });

  it.each([
    ['[]', 'must be a JSON object, not a list'],
    ['"x"', 'must be a JSON object, not "x"'],
    ['null', 'must be a JSON object, not null'],
  ])('repeats a body that is no object: %s', async (body, message) => {
    expect((await post('hash', body, key)).body.message).toBe(message);
  });
});

describe('parts of a form that are not read', () => {
  const upload = (form: FormData) =>
    send('/api/optimize-image', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
  const picture = () => {
    const gif = Uint8Array.fromBase64('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=');
    const form = new FormData();
    form.set('file', new File([gif], 'x.gif'));
    return form;
  };

  it('are named: fields beside options, a second options, a second file', async () => {
    const form = picture();
    form.set('quality', '10');
    form.set('optons', '{}');
    form.append('options', '{"inline":true}');
    form.append('options', '{"quality":10}');
    form.append('file', new File(['x'], 'y'));
    const reply = await upload(form);
    expect([reply.status, ...named(reply)]).toEqual([
      200,
      'quality, optons, options[1], file[1]',
      'quality=options.quality, optons=options',
    ]);
    expect(reply.body.content).toBeTypeOf('string');
  });

  it('are named: unknown options, and a content beside the file', async () => {
    const form = picture();
    form.set('options', '{"inline":true,"qualty":3,"content":"x"}');
    expect(named(await upload(form))).toEqual(['content, qualty', 'content=file, qualty=quality']);
  });

  it('does not name the file’s name, which the caller did not choose', async () => {
    const form = new FormData();
    form.set('file', new File(['%PDF-1.7\n'], 'x.pdf'));
    const reply = await send('/api/detect-file/upload', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    expect([reply.status, ...named(reply)]).toEqual([200, null, null]);
  });

  it('reads options that come as a file', async () => {
    const form = picture();
    form.set('options', new File(['{"inline":true}'], 'options.json'));
    expect((await upload(form)).body.content).toBeTypeOf('string');
  });
});

describe('an MCP result', () => {
  const called = async (name: string, input: object) => {
    const { text } = await send('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: input },
      }),
    });
    const [json] = /\{"(?:jsonrpc|result|id)".*/.exec(text)!;
    const { result } = JSON.parse(json) as Record<string, unknown>;
    return result as { content: { text: string }[]; _meta: object; structuredContent: object };
  };

  it('names ignored fields beside the answer', async () => {
    const result = await called('hash', { input: 'a', algoritm: 'md5' });
    const fields = ['algoritm (did you mean algorithm?)'];
    expect(result._meta).toMatchObject({ credits_cost: 1, ignored_fields: fields });
    expect(result.content.at(-1)!.text).toContain(fields[0]);
    expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent);
    expect(result.structuredContent).not.toHaveProperty('ignored_fields');
  });

  it('names them beside an error, and nothing where there are none', async () => {
    const failed = await called('hash', { inputt: 'a' });
    expect(failed._meta).toMatchObject({
      status: 422,
      ignored_fields: ['inputt (did you mean input?)'],
    });
    const clean = await called('hash', { input: 'a' });
    expect(clean.content).toHaveLength(1);
    expect(clean._meta).not.toHaveProperty('ignored_fields');
  });
});
