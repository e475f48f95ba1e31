import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import { post } from './call.ts';
import { startDevelopment } from './development.ts';

let service: Awaited<ReturnType<typeof startDevelopment>>;
let folder: string;
let key: string;

/**
 * The service's configuration for a life beside another Worker: there wrangler has no local mode for
 * Workers AI, and gives settings of the command line to the first Worker only.
 */
async function besideAnother(): Promise<string> {
  const config = await readFile('wrangler.toml', 'utf8');
  const path = join(folder, 'wrangler.toml');
  await writeFile(
    path,
    config
      .replace(/^\[ai\][^[]*/m, '')
      .replace('main = "', `main = "${process.cwd()}/`)
      .replace('"./container/', `"${process.cwd()}/container/`)
      .replace(/^TEXT_MODEL_NAME.*/m, '')
      .replace(/^FREE_CREDITS.*/m, 'FREE_CREDITS = "0"')
      .replace('[vars]', '[vars]\nADMIN_SECRET = "operator"\nLINK_SECRET = "links"'),
  );
  return path;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rpc-'));
  const configs = ['test/e2e/caller/wrangler.toml', await besideAnother()];
  service = await startDevelopment(folder, configs);
  await operate('bound/credits', { credits: 100 });
  await operate('keyed/credits', { credits: 100 });
  ({ key } = await operate<{ key: string }>('keyed/keys', { name: 'test' }));
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true });
});

/** As an operator does. */
async function operate<T>(path: string, body: object): Promise<T> {
  const answer = await fetch(`${service.url}/admin/accounts/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer operator' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as T;
}

/** What another Worker gets. */
async function called(method: string, args: unknown[], binding = 'TOOLS') {
  const answer = await fetch(`${service.url}/call`, {
    method: 'POST',
    body: JSON.stringify({ binding, method, args }),
  });
  return (await answer.json()) as {
    result?: Record<string, unknown>;
    error?: Record<string, unknown>;
  };
}

describe('another Worker', () => {
  it('gets the answers of the HTTP API from methods', async () => {
    const input = { input: 'hello', algorithm: 'blake3' };
    const { result } = await called('hash', [input]);
    expect(result).toEqual(await (await post('hash', input, key, service.url)).json());
  });

  it('has a method in camelCase for every tool', async () => {
    for (const { name } of tools) {
      const method = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      const { error } = await called(method, [{ unknown: 1 }]);
      // The input is wrong, but the method is there.
      expect([400, 422], method).toContain(error?.status);
    }
  });

  it('has no other methods', async () => {
    const { error } = await called('call', [{}]);
    expect(error?.message).toMatch(/does not implement the method/);
  });

  it('pays from the account of its binding, and nothing for a failure', async () => {
    for (let call = 0; call < 20; call++) await called('screenshot', [{ url: 'ftp://x' }]);
    const calls = await Promise.all(
      Array.from({ length: 30 }, () => called('summarize', [{ text: 'Hello.' }])),
    );
    const refused = calls.filter(({ error }) => error);
    // 100 credits: one was spent above, and a summary costs five.
    expect(refused.length).toBe(11);
    expect(refused[0]!.error).toMatchObject({ status: 402, code: 'insufficient_credits' });
    await operate('bound/credits', { credits: 1000 });
  });

  it('pays from the account of a key', async () => {
    const wrong = await called('hash', [{ input: 'a' }, { key: 'sk_svc_x' }]);
    expect(wrong.error).toMatchObject({ status: 401, message: 'invalid api key' });
    const { result } = await called('hash', [{ input: 'a' }, { key }], 'NAMELESS');
    expect(result).toHaveProperty('hash');
    const none = await called('hash', [{ input: 'a' }], 'NAMELESS');
    expect(none.error).toMatchObject({ status: 401, message: 'missing api key' });
  });

  it('gets the errors of the HTTP API', async () => {
    const { error } = await called('hash', [{}]);
    expect(error).toEqual({
      message: 'input: is required (string)',
      code: 'invalid_input',
      status: 422,
      errors: [{ path: 'input', message: 'is required (string)' }],
    });
    const half = await called('formatCode', [{ language: 'js', files: { 'a.js': '\ud83d' } }]);
    expect(half.error).toMatchObject({ status: 422, errors: [{ path: 'files.a.js' }] });
  });

  it('hears of fields that the tool does not have', async () => {
    const { result } = await called('hash', [{ input: 'a', algoritm: 'md5' }]);
    expect(result).toMatchObject({
      algorithm: 'sha256',
      ignored_fields: ['algoritm (did you mean algorithm?)'],
    });
  });

  it('gets links with the origin of its binding', async () => {
    const image = tools.find(({ name }) => name === 'optimize-image')!.examples[0]!.input;
    const { result } = await called('optimizeImage', [{ ...image, inline: false }]);
    expect(result?.url).toMatch(/^https:\/\/utilities\.example\/files\//);
    const nowhere = await called(
      'optimizeImage',
      [{ ...image, inline: false }, { key }],
      'NAMELESS',
    );
    expect(nowhere.error).toMatchObject({ status: 503 });
    expect(nowhere.error?.message).toContain('STORAGE_URL');
  });
});
