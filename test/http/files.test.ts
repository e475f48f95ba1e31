import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { objectKey, signedPath } from '../../src/storage/link.ts';
import { r2Storage } from '../../src/storage/r2.ts';
import worker from '../../src/worker.ts';
import { send } from './client.ts';

const text = 'hello, world';
const settings = { origin: 'http://service', secret: env.LINK_SECRET, life: 3600 };
const storage = r2Storage(env.FILES, settings);
const put = async (name: string, type: string, body: string, life = 3600) => {
  const kept = await r2Storage(env.FILES, { ...settings, life }).put({
    name,
    type,
    body: new TextEncoder().encode(body),
  });
  return new URL(kept.url).pathname + new URL(kept.url).search;
};
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(path, { headers, method });

let path: string;
let etag: string;
beforeAll(async () => {
  path = await put('a text.txt', 'text/plain', text);
  etag = (await get(path)).headers.get('etag')!;
});

it('gives the file, with all that a client wants to know of it', async () => {
  const answer = await get(path);
  expect(answer.status).toBe(200);
  expect(answer.text).toBe(text);
  const headers = Object.fromEntries(answer.headers);
  expect(headers).toMatchObject({
    'content-type': 'text/plain',
    'content-length': String(text.length),
    'content-disposition': 'attachment; filename="a text.txt"',
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
  });
  expect(headers.etag).toMatch(/^"[^"]+"$/);
  expect(headers['cache-control']).toMatch(/^private, max-age=(3600|359\d), immutable$/);
});

it('says on HEAD what GET would', async () => {
  const [head, whole] = await Promise.all([get(path, {}, 'HEAD'), get(path)]);
  expect(head.status).toBe(200);
  expect(head.text).toBe('');
  const headersOf = ({ headers }: typeof head) => {
    const { 'x-request-id': _, 'cache-control': _age, ...others } = Object.fromEntries(headers);
    return others;
  };
  expect(headersOf(head)).toEqual(headersOf(whole));
});

it('is for GET and HEAD only', async () => {
  expect((await get(path, {}, 'DELETE')).status).toBe(405);
  expect((await get(path)).status).toBe(200);
});

describe('ranges (RFC 9110, section 14)', () => {
  it.each([
    ['bytes=0-4', 'hello', 'bytes 0-4/12'],
    ['bytes=7-', 'world', 'bytes 7-11/12'],
    ['bytes=-5', 'world', 'bytes 7-11/12'],
    ['bytes=7-1000', 'world', 'bytes 7-11/12'],
    ['bytes=0-', text, 'bytes 0-11/12'],
  ])('%s', async (range, part, contentRange) => {
    const answer = await get(path, { range });
    expect(answer.status).toBe(206);
    expect(answer.text).toBe(part);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(part.length));
  });

  it.each(['bytes=12-', 'bytes=50-60', 'bytes=-0'])('%s is beyond the end: 416', async (range) => {
    const answer = await get(path, { range });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */12');
    expect(answer.body.message).toMatch(/ends before/);
  });

  it.each(['bytes=0-1,3-4', 'items=0-4', 'bytes=x', 'nonsense'])(
    '%s is answered with the whole file',
    async (range) => {
      const answer = await get(path, { range });
      expect([answer.status, answer.text]).toEqual([200, text]);
    },
  );

  it('holds only for the file that it was meant for (If-Range)', async () => {
    expect((await get(path, { range: 'bytes=0-4', 'if-range': etag })).status).toBe(206);
    expect((await get(path, { range: 'bytes=0-4', 'if-range': '"other"' })).status).toBe(200);
  });
});

describe('conditions (RFC 9110, section 13)', () => {
  const long = 'Mon, 01 Jan 2024 00:00:00 GMT';
  const soon = () => new Date(Date.now() + 60_000).toUTCString();
  it('does not send what the client has', async () => {
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", ${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': soon() },
    ]) {
      const answer = await get(path, headers);
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers.get('etag')).toBe(etag);
    }
  });
  it('sends what the client does not have', async () => {
    for (const headers of [
      { 'if-none-match': '"other"' },
      { 'if-none-match': 'no tag at all' },
      { 'if-none-match': 'W/"' },
      { 'if-none-match': '"a", b"' },
      { 'if-match': '"' },
      { 'if-modified-since': long },
      { 'if-modified-since': 'no date' },
      { 'if-match': etag },
    ]) {
      expect((await get(path, headers as Record<string, string>)).text).toBe(text);
    }
  });
  it('refuses what must be another file', async () => {
    expect((await get(path, { 'if-match': '"other"' })).status).toBe(412);
    expect((await get(path, { 'if-unmodified-since': long })).status).toBe(412);
  });
});

describe('what someone else made', () => {
  it.each([
    ['page.html', 'text/html', 'attachment; filename=page.html'],
    ['drawing.svg', 'image/svg+xml', 'attachment; filename=drawing.svg'],
    ['photo.png', 'image/png', 'inline; filename=photo.png'],
    ['naïve "café".webp', 'image/webp', /^inline; filename=.*; filename\*=UTF-8''na%C3%AFve/],
  ])('%s never runs as the service', async (name, type, disposition) => {
    const answer = await get(await put(name, type, '<script>alert(1)</script>'));
    expect(answer.headers.get('content-disposition')).toMatch(disposition);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  });
});

describe('links that lead nowhere', () => {
  it.each([
    ['signature', (link: string) => link.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'))],
    ['name', (link: string) => link.replace('a%20text', 'another')],
    ['expiry', (link: string) => link.replace('/files/00', '/files/01')],
    ['no signature', (link: string) => link.replace(/\?.*/, '')],
    ['broken escape', () => '/files/%zz'],
    ['nothing', () => '/files/'],
  ])('a changed link is 403: %s', async (_what, change) => {
    const answer = await get(change(path));
    expect(answer.status).toBe(403);
    expect(answer.body.code).toBe('forbidden');
  });

  it('an expired link, or one whose file is gone, is 410', async () => {
    const expired = await put('old.txt', 'text/plain', text, -1);
    const missing = await signedPath(objectKey(4e9, 'none', 'a'), env.LINK_SECRET!);
    for (const link of [expired, missing]) {
      for (const headers of [{}, { range: 'bytes=0-1' }]) {
        const answer = await get(link, headers as Record<string, string>);
        expect([answer.status, answer.body.code]).toEqual([410, 'gone']);
      }
    }
  });
});

it('removes what has expired, however much, and nothing else', async () => {
  const old = Array.from({ length: 1003 }, (_, i) => objectKey(1, String(i), 'a'));
  for (let i = 0; i < old.length; i += 100) {
    await Promise.all(old.slice(i, i + 100).map((key) => env.FILES.put(key, 'x')));
  }
  await env.FILES.put('not ours', 'x');
  await worker.scheduled(createScheduledController(), env);
  const { objects } = await env.FILES.list();
  expect(objects.filter(({ key }) => key.startsWith('000000000001/'))).toEqual([]);
  expect(objects.map(({ key }) => key)).toContain('not ours');
  expect((await get(path)).status).toBe(200);
});

describe('when storage fails', () => {
  const failing = { put: () => Promise.reject(new Error('R2 is down')) } as unknown as R2Bucket;
  const file = { name: 'a', type: 'text/plain', body: new Uint8Array(1) };
  it('is 503, without a word of the inside', async () => {
    const failure = await r2Storage(failing, settings)
      .put(file)
      .catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(ServiceError);
    expect((failure as ServiceError).status).toBe(503);
    expect((failure as ServiceError).message).not.toContain('R2');
  });
  it('is 503 without a secret', async () => {
    const unsigned = r2Storage(env.FILES, { ...settings, secret: undefined });
    await expect(unsigned.put(file)).rejects.toMatchObject({ status: 503 });
  });
});

it('tells how long a link lives', async () => {
  const before = Date.now();
  const { url, expires_at } = await storage.put({
    name: 'a',
    type: 'b/c',
    body: new Uint8Array(1),
  });
  expect(url).toMatch(/^http:\/\/service\/files\/\d{12}\/[\w-]{21}\/a\?signature=[\w-]{43}$/);
  expect(Date.parse(expires_at) - before).toBeGreaterThan(3_598_000);
  expect(Date.parse(expires_at) - before).toBeLessThanOrEqual(3_601_000);
});
