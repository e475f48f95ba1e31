import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { post, service } from './call.ts';

/** How clients begin: with `server/discover` since 2026-07-28, with `initialize` before. */
const eras = { 'of 2026-07-28': { pin: '2026-07-28' }, 'of before': 'legacy' } as const;

async function connected(era: (typeof eras)[keyof typeof eras], key?: string): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    { versionNegotiation: { mode: era } },
  );
  const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {};
  const url = new URL('/mcp', service.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

const textOf = (result: Awaited<ReturnType<Client['callTool']>>) =>
  result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');

describe.each(Object.entries(eras))('a client %s', (_, era) => {
  let client: Client;
  let stranger: Client;
  beforeAll(async () => {
    client = await connected(era, service.key);
    stranger = await connected(era);
  });
  afterAll(() => Promise.all([client.close(), stranger.close()]));

  it('sees every tool with its price, its limit and its schemas', async () => {
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const each of listed) {
      expect(each.description).toMatch(
        /(?:Free|Costs \d credits?)\. Takes up to \d+ MB, and at most \d+ s\.$/,
      );
      expect(each.inputSchema).toMatchObject({ type: 'object' });
      expect(each.annotations).toMatchObject({ readOnlyHint: true });
      expect(Boolean(each.outputSchema)).toBe(each.name !== 'screenshot');
    }
  });

  const examples = (tools as readonly Tool[])
    .flatMap((tool) => tool.examples.map((example) => ({ name: tool.name, ...example })))
    .filter(({ needsInternet }) => !needsInternet);

  // The client checks every answer against the tool's output schema.
  it.each(examples)('gets what $name answers: $title', async ({ name, input }) => {
    const result = await client.callTool({ name, arguments: input });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(result._meta).toMatchObject({ credits_cost: expect.any(Number) as number });
    if (name === 'screenshot') {
      expect(result.content).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
    } else {
      expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
    }
  });

  it('gets the answers of the HTTP API', async () => {
    const input = { input: 'hello', algorithm: 'blake3' };
    const { structuredContent } = await client.callTool({ name: 'hash', arguments: input });
    expect(structuredContent).toEqual(await (await post('hash', input)).json());
  });

  const large = 'word '.repeat(100_000);
  it.each([
    ['a light tool', 'hash', { input: large }, { algorithm: 'sha256' }],
    ['a tool that computes', 'validate', { type: 'json', input: `"${large}"` }, { valid: true }],
    [
      'a tool that takes a file',
      'detect-file',
      { content: Buffer.from(large).toString('base64') },
      { is_text: true },
    ],
    [
      'the converter',
      'convert-document',
      { content: large, from: 'plain', to: 'html' },
      { format: 'html' },
    ],
  ])('reaches %s with a large message', async (_kind, name, input, output) => {
    const result = await client.callTool({ name, arguments: { ...input } });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(result.structuredContent).toMatchObject(output);
  });

  it('reaches the browser with a large message', async () => {
    const html = `<h1>Hello</h1><!-- ${large} -->`;
    const result = await client.callTool({ name: 'screenshot', arguments: { html } });
    expect(result.content).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
  });

  it('gets an error for an answer that is too large', async () => {
    const lines = (letter: string) => `${letter}\n`.repeat(100_000);
    const input = { original: lines('a'), modified: lines('b') };
    const result = await client.callTool({ name: 'diff', arguments: input });
    expect(result).toMatchObject({ isError: true, _meta: { status: 413, credits_cost: 0 } });
  });

  it('gets an error for a large message that is not JSON', async () => {
    const answer = await fetch(new URL('/mcp', service.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: `{"jsonrpc":"2.0",${large}`,
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32700 } }]);
  });

  it('gets the errors in a large message', async () => {
    const refused = async (input: object) =>
      textOf(await client.callTool({ name: 'validate', arguments: { ...input } }));
    expect(await refused({ type: 'jsonn', input: large })).toContain('type: ');
    expect(await refused({ type: 'json', input: `${large}\ud83d` })).toContain('lone surrogate');
  });

  it('pays the usual price, and nothing for a failure', async () => {
    const remaining = async (input: object) => {
      const { _meta } = await client.callTool({ name: 'hash', arguments: { ...input } });
      return (_meta as { credits_remaining?: number }).credits_remaining;
    };
    const before = (await remaining({ input: 'a' }))!;
    await remaining({ input: 'a', algorithm: 'hmac-sha256' });
    expect(await remaining({ input: 'a' })).toBe(before - 1);
  });

  it.each([
    ['a field that is missing', 'hash', {}, 422, 'input: is required (string)'],
    ['half a character', 'hash', { input: 'a\ud83d' }, 422, 'input: has a lone surrogate'],
    ['a value that cannot be', 'cron', { action: 'parse', expression: 'x' }, 400, 'expression'],
    ['a tool that is not there', 'no-such-tool', {}, 404, 'no such tool: no-such-tool'],
  ])('hears of %s', async (__, name, input, status, message) => {
    const result = await client.callTool({ name, arguments: input });
    expect(result).toMatchObject({ isError: true, _meta: { status, credits_cost: 0 } });
    expect(textOf(result)).toContain(message);
  });

  it('may list tools and call free ones without a key', async () => {
    expect((await stranger.listTools()).tools).toHaveLength(tools.length);
    const free = await stranger.callTool({ name: 'json-escape', arguments: { input: '"' } });
    expect(free.isError, textOf(free)).toBeFalsy();
    const paid = await stranger.callTool({ name: 'hash', arguments: { input: 'a' } });
    expect(paid).toMatchObject({ isError: true, _meta: { status: 401 } });
    expect(textOf(paid)).toBe('missing api key');
  });
});

describe('a request', () => {
  const ask = (init: RequestInit) => fetch(new URL('/mcp', service.url), init);
  const list = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };

  it('with a wrong key is refused', async () => {
    const answer = await ask({
      ...list,
      headers: { ...headers, Authorization: 'Bearer sk_svc_x' },
    });
    expect([answer.status, await answer.json()]).toEqual([401, { message: 'invalid api key' }]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('has at most 15 MB', async () => {
    const body = JSON.stringify({ ...JSON.parse(list.body), padding: 'x'.repeat(16 * 2 ** 20) });
    const answer = await ask({ ...list, headers, body });
    expect(answer.status).toBe(413);
  });

  it.each(['{', '[]', 'null', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1,"method":"nothing"}'])(
    'with the body %s is answered with a JSON-RPC error',
    async (body) => {
      const answer = await ask({ ...list, headers, body });
      expect(answer.status).toBeLessThan(500);
      // Older revisions get an event stream.
      const [, message] = /^(?:event: message\n)?(?:data: )?(\{.*\})\s*$/.exec(
        await answer.text(),
      )!;
      expect(JSON.parse(message!)).toMatchObject({ error: { code: expect.any(Number) as number } });
    },
  );

  it.each(['GET', 'DELETE'])('by %s finds no session', async (method) => {
    expect((await ask({ method, headers })).status).toBe(405);
  });

  it('may come from a web page (CORS)', async () => {
    const asked = { Origin: 'https://inspector.example', 'Access-Control-Request-Method': 'POST' };
    const answer = await ask({ method: 'OPTIONS', headers: asked });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });
});
