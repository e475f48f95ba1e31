import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { service } from './call.ts';
import { createClient, ToolError, type Client } from '../../src/client.ts';

let client: Client;
beforeAll(() => {
  const { url, key } = service;
  client = createClient({ url: `${url}/`, key });
});

/** What a call was refused with. */
async function refusal(call: Promise<unknown>): Promise<ToolError> {
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolError);
  return error as ToolError;
}

describe('the client', () => {
  it('has the tools as methods, with their types', async () => {
    const { hash, algorithm } = await client.hash({ input: 'hello' });
    expect([hash, algorithm]).toEqual([
      '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      'sha256',
    ]);
    const { markdown } = await client.htmlToMarkdown({ html: '<b>hello</b>' });
    expect(markdown.trim()).toBe('**hello**');
    // @ts-expect-error An algorithm that does not exist.
    const error = await refusal(client.hash({ input: 'hello', algorithm: 'sha0' }));
    expect(error.status).toBe(422);
  });

  it('accepts files as bytes and as blobs, with options, for every tool with files', async () => {
    const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    const bytes = new Uint8Array(gif);
    expect(await client.detectFile({ content: bytes })).toMatchObject({ mime_type: 'image/gif' });
    expect(await client.detectFile({ content: gif.toString('base64') })).toMatchObject({
      mime_type: 'image/gif',
    });
    const picture = await client.optimizeImage({
      content: new Blob([bytes]),
      output_format: 'png',
      inline: true,
    });
    expect(picture).toMatchObject({ output_format: 'png', width: 1 });
    const json = await client.optimizeImage({ content: gif.toString('base64'), inline: true });
    expect(json).toMatchObject({ width: 1 });
    const markdown = new File(['# Hello\n'], 'hello.md');
    const document = await client.convertDocument({
      content: markdown,
      from: 'markdown',
      to: 'html',
    });
    expect(document.output).toContain('<h1');
    const inJson = await client.convertDocument({
      content: '# Hello',
      from: 'markdown',
      to: 'html',
    });
    expect(inJson.output).toContain('<h1');
  });

  it('returns pictures as bytes', async () => {
    const { type, body } = await client.screenshot({
      html: '<h1>Hello</h1>',
      width: 64,
      height: 64,
    });
    expect([type, Buffer.from(body.slice(1, 4)).toString()]).toEqual(['image/png', 'PNG']);
  });

  it('hears of fields that a tool does not have, wherever the tool runs', async () => {
    const hashed = { input: 'a', algoritm: 'md5' };
    expect((await client.hash(hashed)).ignored_fields).toEqual([
      'algoritm (did you mean algorithm?)',
    ]);
    const code = { language: 'js', code: '1', indent: 2 } as const;
    expect((await client.formatCode(code)).ignored_fields).toEqual([
      'indent (did you mean config.indent_width?)',
    ]);
    const options = { toc: true, colours: true, number_section: true };
    const json = { content: '# A', from: 'markdown', to: 'html', options } as const;
    expect((await client.convertDocument(json)).ignored_fields).toEqual([
      'options.colours',
      'options.number_section (did you mean options.number_sections?)',
    ]);
    const form = { ...json, content: new File(['# A'], 'a.md'), table: true } as const;
    expect((await client.convertDocument(form)).ignored_fields).toEqual([
      'options.colours',
      'options.number_section (did you mean options.number_sections?)',
      'table',
    ]);
    expect(await client.hash({ input: 'a' })).not.toHaveProperty('ignored_fields');
  });

  it('throws the error of the service', async () => {
    // @ts-expect-error A field that is missing.
    const error = await refusal(client.hash({}));
    expect(error).toMatchObject({
      name: 'ToolError',
      message: 'input: is required (string)',
      status: 422,
      code: 'invalid_input',
      errors: [{ path: 'input', message: 'is required (string)' }],
    });
    expect(error.requestId).toMatch(/^[\da-f-]{36}$/);
  });

  it('throws a 401 for a wrong key, and needs no key for free tools', async () => {
    const { url } = service;
    const wrong = await refusal(createClient({ url, key: 'sk_svc_x' }).slug({ input: 'a' }));
    expect(wrong).toMatchObject({ status: 401, message: 'invalid api key', errors: [] });
    expect(await createClient({ url }).jsonEscape({ input: '"' })).toMatchObject({ output: '\\"' });
  });

  it('can be awaited and passed on', async () => {
    const { hash } = await (await Promise.resolve(client)).hash({ input: 'a' });
    expect(hash).toHaveLength(64);
  });

  it('aborts a call by its signal', async () => {
    await expect(client.hash({ input: 'a' }, { signal: AbortSignal.abort() })).rejects.toThrow(
      /abort/i,
    );
  });
});

describe('a service that is busy', () => {
  let calls: IncomingMessage[] = [];
  let answers: ((response: ServerResponse) => void)[] = [];
  const server = createServer((request, response) => {
    calls.push(request);
    request.resume().on('end', () => (answers.shift() ?? good)(response));
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const good = (response: ServerResponse) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"slug":"a"}');
  const status =
    (code: number, headers = {}) =>
    (response: ServerResponse) =>
      response
        .writeHead(code, { 'Content-Type': 'application/json', ...headers })
        .end('{"message":"later","code":"unavailable"}');

  async function ask(script: typeof answers, retries?: number) {
    [calls, answers] = [[], script];
    const start = Date.now();
    const options = { url, timeout: 1000, ...(retries !== undefined && { retries }) };
    const outcome = await createClient(options)
      .slug({ input: 'a' })
      .catch((error: unknown) => error);
    return { outcome, calls: calls.length, seconds: (Date.now() - start) / 1000 };
  }

  it('is called again after Retry-After, and not before', async () => {
    const {
      outcome,
      calls: count,
      seconds,
    } = await ask([status(503, { 'Retry-After': '1' }), status(429, { 'Retry-After': '1' })]);
    expect(outcome).toEqual({ slug: 'a' });
    expect(count).toBe(3);
    expect(seconds).toBeGreaterThan(1.9);
  });

  it('is called three times, or as often as configured', async () => {
    const busy = [status(503), status(503), status(503), status(503)];
    const thrice = await ask([...busy]);
    expect(thrice.outcome).toMatchObject({ status: 503, code: 'unavailable', message: 'later' });
    expect(thrice.calls).toBe(3);
    expect((await ask([...busy], 0)).calls).toBe(1);
  });

  it.each([
    ['what will not change', status(422)],
    ['a fault', status(500)],
    ['a connection that breaks', (response: ServerResponse) => void response.destroy()],
    ['silence', () => {}],
  ])('is not asked again after %s, which may have been charged', async (_, answer) => {
    const { outcome, calls: count } = await ask([answer]);
    expect(outcome).toBeInstanceOf(Error);
    expect(count).toBe(1);
  });

  it('that is another server causes an error too', async () => {
    const html = (response: ServerResponse) =>
      response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>No</h1>');
    const { outcome } = await ask([html]);
    expect(outcome).toMatchObject({ status: 404, message: 'status 404', errors: [] });
  });
});

describe('the package', () => {
  /** A program of somebody else, who has installed nothing but the two files of the client. */
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-'));
    const installed = join(folder, 'node_modules/developer-utility-service');
    await mkdir(installed, { recursive: true });
    const { name, type, exports } = JSON.parse(await readFile('package.json', 'utf8')) as Record<
      string,
      unknown
    >;
    await writeFile(join(installed, 'package.json'), JSON.stringify({ name, type, exports }));
    for (const file of ['dist/client.js', 'dist/client.d.ts'])
      await cp(file, join(installed, file));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('runs in plain Node', async () => {
    const program = `import { createClient, ToolError } from 'developer-utility-service/client';
      const client = createClient(${JSON.stringify(service)});
      const { hash } = await client.hash({ input: 'hello' });
      const file = await client.detectFile({ content: new TextEncoder().encode('%PDF-1.7\\n') });
      const error = await client.hash({}).catch((error) => error);
      console.log(hash.slice(0, 8), file.mime_type, error instanceof ToolError, error.status);`;
    await writeFile(join(folder, 'program.mjs'), program);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')]);
    expect(stdout.trim()).toBe('2cf24dba application/pdf true 422');
  });

  it('has self-contained types with every field', async () => {
    const program = `import { createClient, type HashInput } from 'developer-utility-service/client';
      const client = createClient({ url: 'http://x' });
      const input: HashInput = { input: 'hello', algorithm: 'blake3' };
      export const hash: string = (await client.hash(input)).hash;
      export const width: number = (await client.optimizeImage({ content: new Blob([]) })).width;
      export const bytes: Uint8Array = (await client.screenshot({ url: 'http://y' })).body;
      // @ts-expect-error No such algorithm.
      await client.hash({ input: 'a', algorithm: 'sha0' });
      // @ts-expect-error No such tool.
      await client.dance({});`;
    await writeFile(join(folder, 'program.mts'), program);
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
    const compiled = promisify(execFile)(
      resolve('node_modules/.bin/tsc'),
      [...flags, '--exactOptionalPropertyTypes', 'program.mts'],
      { cwd: folder },
    );
    const problems = await compiled.then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
    expect(problems).toBe('');
  });
});
