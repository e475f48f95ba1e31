import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { packTar } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConverter } from '../../scripts/service.ts';
import { call, post, service } from './call.ts';
import { startOwnService } from './service.ts';

const hello = { content: '# Hello\n\nworld', from: 'markdown', to: 'html' };

async function upload(file: File, options: object): Promise<Response> {
  const body = new FormData();
  body.set('file', file);
  body.set('options', JSON.stringify(options));
  const { url, key } = service;
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${url}/api/convert-document`, { method: 'POST', headers, body });
}

const types: Record<string, string> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
  epub: 'application/epub+zip',
  odt: 'application/vnd.oasis.opendocument.text',
};

describe('a conversion', () => {
  it('to a text format returns the text in the answer', async () => {
    const answer = await call('convert-document/json', hello);
    expect(answer).toEqual({
      from: 'markdown',
      output: '<h1 id="hello">Hello</h1>\n<p>world</p>\n',
      format: 'html',
      size_bytes: 39,
      media: [],
      warnings: [],
    });
  });

  it.each(Object.keys(types))('to %s is behind a link', async (to) => {
    const file = new File(['# Grüße\n\nworld'], 'my notes.md');
    const answer = await upload(file, { to });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-cost')).toBe('5');
    const body = (await answer.json()) as Record<string, string>;
    expect(body.output).toBeUndefined();
    expect(Date.parse(body.expires_at!)).toBeGreaterThan(Date.now() + 3_500_000);
    const download = await fetch(body.output_url!);
    expect(download.headers.get('content-type')).toBe(types[to]);
    expect(download.headers.get('content-disposition')).toContain(`"my notes.${to}"`);
    const bytes = await download.arrayBuffer();
    expect(bytes.byteLength).toBe(body.size_bytes);
    const back = await upload(new File([bytes], 'x'), { to: 'plain' });
    expect(((await back.json()) as { output: string }).output).toContain('Grüße');
  });

  it('returns a link for each picture', async () => {
    const picture = randomBytes(3000);
    const files = { 'a.png': picture.toString('base64') };
    const options = { extract_media: true, mode: 'manuscript', output_formats: ['docx', 'latex'] };
    const answer = await call<{
      media: { path: string; url: string }[];
      outputs: Record<string, unknown>[];
      jats: string;
    }>('convert-document/json', { ...hello, content: '![a](a.png)', files, options });
    expect(answer.media.map(({ path }) => path)).toEqual(['media/a.png']);
    const kept = await (await fetch(answer.media[0]!.url)).arrayBuffer();
    expect(Buffer.from(kept).equals(picture)).toBe(true);
    expect(answer.outputs).toMatchObject([
      { format: 'docx', output_url: expect.stringContaining('http') },
      { format: 'latex', output: expect.stringContaining('includegraphics') },
    ]);
    expect(answer.jats).toContain('<article');
  });
});

/** A Word document of this many bytes, most of them a picture. */
async function bigDocx(bytes: number): Promise<Uint8Array> {
  const content = '![a](a.png)';
  const files = { 'a.png': randomBytes(bytes - 20_000).toString('base64') };
  const answer = await call<{ output_url: string }>('convert-document/json', {
    ...hello,
    content,
    files,
    to: 'docx',
  });
  return new Uint8Array(await (await fetch(answer.output_url)).arrayBuffer());
}

it('refuses a body in malformed chunks', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const head = [
    'POST /api/convert-document HTTP/1.1',
    `Host: ${hostname}`,
    'Connection: close',
    `Authorization: Bearer ${service.key}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`);
  const [said] = (await once(socket, 'data')) as [Buffer];
  expect(String(said)).toMatch(/^HTTP\/1\.1 400 .*malformed_body/s);
  socket.destroy();
});

it('takes 50 MB on both routes, and no more', async () => {
  const docx = await bigDocx(49_000_000);
  const form = await upload(new File([docx], 'big.docx'), { to: 'odt', extract_media: true });
  expect(form.status).toBe(200);
  const { output_url } = (await form.json()) as { output_url: string };
  const odt = unzipSync(new Uint8Array(await (await fetch(output_url)).arrayBuffer()));
  expect(Object.values(odt).some(({ length }) => length > 48_000_000)).toBe(true);
  const content = Buffer.from(docx).toString('base64');
  const json = await post('convert-document/json', { content, from: 'docx', to: 'markdown' });
  expect(json.status).toBe(200);
  const tooLarge = await upload(new File([new Uint8Array(53_000_000)], 'x.docx'), { to: 'html' });
  expect(tooLarge.status).toBe(413);
  let sent = 0;
  const endless = new ReadableStream({
    async pull(controller) {
      await sleep(1);
      sent += 1;
      if (sent > 200) controller.close();
      else controller.enqueue(new Uint8Array(1_000_000).fill(32));
    },
  });
  const { url, key } = service;
  const answer = await fetch(`${url}/api/convert-document/json`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: endless,
    duplex: 'half',
  } as RequestInit).catch(() => ({ status: 413 }));
  expect(answer.status).toBe(413);
  expect(sent).toBeLessThan(200);
});

it('charges nothing for a failed conversion', async () => {
  const credits = async () =>
    Number((await post('hash', { input: '' })).headers.get('x-credits-remaining'));
  const before = await credits();
  const broken = zipSync({ 'word/document.xml': strToU8('<w:') });
  const refused = [
    await post('convert-document/json', { ...hello, from: 'docx', content: 'AAAA' }),
    await post('convert-document/json', { ...hello, from: 'pdf', content: '%%%' }),
    await post('convert-document/json', { ...hello, to: 'doc' }),
    await post('convert-document/json', { ...hello, options: { highlight_stylex: 'nope' } }),
    await post('convert-document/json', { from: 'html' }),
    await upload(new File([broken], 'a.docx'), { from: 'docx', to: 'html' }),
    await upload(new File(['?'], 'a'), { to: 'html' }),
  ];
  for (const answer of refused) {
    expect(answer.status).toBe(422);
    const { message, errors } = (await answer.json()) as { message: string; errors: object[] };
    expect(message).not.toBe('');
    expect(errors.length).toBeGreaterThan(0);
  }
  expect((await post('convert-document/json', 5)).status).toBe(422);
  expect(await credits()).toBe(before - 1);
});

describe('a converter that', () => {
  let behave: RequestListener = (_, response) => response.end();
  const web = createServer((request, response) => {
    request.resume();
    behave(request, response);
  });
  let service: Awaited<ReturnType<typeof startOwnService>>;

  beforeAll(async () => {
    await once(web.listen(0, '127.0.0.1'), 'listening');
    const { port } = web.address() as AddressInfo;
    service = await startOwnService({ CONVERTER_URL: `http://127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await service.stop();
    web.close();
  });

  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const tar = (entries: Record<string, Uint8Array>) =>
    packTar(
      Object.entries(entries).map(([name, body]) => ({
        header: { name, size: body.length },
        body,
      })),
    );
  const answer = {
    results: [{ format: 'docx', size_bytes: 3, file: 0 }],
    files: [{ name: 'a.docx', type: 'a/b' }],
    media: [],
    warnings: [],
  };
  const whole = tar({ 'answer.json': json(answer), 'files/1': new Uint8Array(100_000) });
  const failures: [name: string, behave: RequestListener][] = [
    ['hangs up', (request) => request.socket.destroy()],
    [
      'fails',
      (_, response) => response.writeHead(500).end('{"code":"internal_error","message":"secret"}'),
    ],
    ['refuses our secret', (_, response) => response.writeHead(401).end('{}')],
    ['answers HTML', (_, response) => response.end('<html>welcome</html>')],
    ['answers nothing', (_, response) => response.end()],
    ['refuses without a word', (_, response) => response.writeHead(422).end('no')],
    [
      'sends no answer',
      async (_, response) => response.end(await tar({ 'a.txt': new Uint8Array(3) })),
    ],
    [
      'sends rubbish for an answer',
      async (_, response) => response.end(await tar({ 'answer.json': json({ results: 1 }) })),
    ],
    [
      'forgets a file',
      async (_, response) => response.end(await tar({ 'answer.json': json(answer) })),
    ],
    [
      'dies in the middle',
      async (_, response) => {
        response.write((await whole).subarray(0, 50_000));
        await sleep(50);
        response.destroy();
      },
    ],
  ];

  const ask = async (body: object = hello) => {
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
    return fetch(`${service.url}/api/convert-document/json`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
  };

  it.each(failures)('%s is a 503 that costs nothing', async (_, failing) => {
    behave = async (_request, response) => response.end(await whole);
    const before = await ask();
    expect(before.status).toBe(200);
    behave = failing;
    const failed = await ask();
    expect(failed.status).toBe(503);
    expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await failed.json()).toMatchObject({
      code: 'unavailable',
      message: expect.not.stringMatching(/secret|127/),
    });
    behave = async (_request, response) => response.end(await whole);
    const after = await ask();
    const left = (reply: Response) => Number(reply.headers.get('x-credits-remaining'));
    expect(left(after)).toBe(left(before) - 5);
  });

  it('refuses a document with a message is quoted', async () => {
    behave = (_, response) =>
      response
        .writeHead(422)
        .end(
          '{"code":"invalid_input","message":"content: no","errors":[{"path":"content","message":"no"}]}',
        );
    const refused = await ask();
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ message: 'content: no' });
  });
});

it('survives a restart of its converter under load', async () => {
  const service = await startOwnService();
  const { port } = new URL(service.converter.url);
  let converter = service.converter;
  try {
    const outcomes: number[] = [];
    const over = new AbortController();
    const caller = async () => {
      while (!over.signal.aborted) {
        const answer = await fetch(`${service.url}/api/convert-document/json`, {
          method: 'POST',
          headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...hello, to: outcomes.length % 5 ? 'html' : 'docx' }),
        });
        await answer.text();
        outcomes.push(answer.status);
      }
    };
    const credits = async () => {
      const headers = { authorization: `Bearer ${service.adminSecret}` };
      const account = await fetch(`${service.url}/admin/accounts/local`, { headers });
      return ((await account.json()) as { credits: number }).credits;
    };
    const before = await credits();
    const callers = [1, 2, 3, 4].map(caller);
    await sleep(3000);
    await converter.stop();
    await sleep(1000);
    converter = await startConverter({ CONVERTER_SECRET: converter.secret }, Number(port));
    const restarted = outcomes.length;
    // Calls that began while it was down may take some seconds to be refused.
    const since = () => outcomes.slice(restarted);
    await expect.poll(since, { timeout: 20_000 }).toContain(200);
    await sleep(1000);
    over.abort();
    await Promise.all(callers);
    expect(new Set(outcomes)).toEqual(new Set([200, 503]));
    const answered = outcomes.filter((status) => status === 200).length;
    // Leases are settled within a second or two.
    const spent = async () => before - (await credits());
    await expect.poll(spent, { timeout: 10_000 }).toBe(5 * answered);
  } finally {
    await converter.stop();
    await service.stop();
  }
});
