import { request, type RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { operator, type Operator } from '../../scripts/operator.ts';
import { startDeployed, startOutside, type Deployed, type Outside } from '../../scripts/workerd.ts';
import { startResolver } from '../resolver/responder.ts';
import { startTextModel } from '../text-model/server.ts';

// The neighbours of the Worker as they are when they are not well. Two of them have such tests of their
// own, with the real programs: the converter and the browser.
let service: Deployed;
let admin: Operator;
let resolver: Outside;
let textModel: Outside;
let healthy: Record<'kv' | 'r2' | 'resolver' | 'textModel', RequestListener>;
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  const [dns, model] = await Promise.all([startResolver(), startTextModel()]);
  const [toDns, toModel] = await Promise.all([
    startOutside(passedOnTo(dns.url)),
    startOutside(passedOnTo(model.url)),
  ]);
  service = await startDeployed({
    vars: {
      DOH_URL: `http://127.0.0.1:${toDns.port}/dns-query`,
      TEXT_MODEL_URL: `http://127.0.0.1:${toModel.port}/first`,
      TEXT_MODEL_NAME: 'some-model',
      TEXT_MODEL_SECONDS: '2',
      TEXT_MODEL_CONTEXT: '32000',
    },
  });
  stops.push(service.stop, toDns.stop, toModel.stop, dns.stop, model.stop);
  admin = operator(service.url, service.adminSecret);
  [resolver, textModel] = [toDns.outside, toModel.outside];
  healthy = {
    kv: service.kv.respond,
    r2: service.r2.respond,
    resolver: resolver.respond,
    textModel: textModel.respond,
  };
});
afterEach(() => {
  service.kv.respond = healthy.kv;
  service.r2.respond = healthy.r2;
  resolver.respond = healthy.resolver;
  textModel.respond = healthy.textModel;
});
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** Has another server answer. */
function passedOnTo(url: string): RequestListener {
  return ({ method, url: path, headers }, response) => {
    const { req } = response;
    const passed = request(new URL(path!, url).href, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    req.pipe(passed);
  };
}

const faults: [string, RequestListener][] = [
  ['refuses', (_, response) => response.writeHead(503).end('{"error":"overloaded"}')],
  ['answers rubbish', (_, response) => response.writeHead(200).end('<h1>It works!</h1>')],
  ['hangs up', (_, response) => void response.destroy()],
  [
    'dies in mid-answer',
    (_, response) =>
      void response.writeHead(200, { 'Content-Length': 99 }).write('{"a', () => response.destroy()),
  ],
  ['never answers', () => {}],
];

async function newKey(credits = 100): Promise<{ key: string; name: string }> {
  const name = `account-${Math.random().toString(36).slice(2)}`;
  const { key } = await admin.createKey(name, 'test');
  await admin.grant(name, credits);
  return { key, name };
}

function post(tool: string, input: unknown, key: string) {
  return fetch(`${service.url}/api/${tool}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
}

async function refusal(answer: Promise<Response>) {
  const response = await answer;
  const body = (await response.json()) as { message: string; code?: string };
  expect(JSON.stringify(body)).not.toMatch(/worker\.js|overloaded|It works/);
  return { status: response.status, code: body.code, headers: response.headers };
}

const pixel = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

describe.each(faults)('a neighbour that %s', (_, fault) => {
  it('costs nothing as KV, for a key that is not cached; other calls succeed', async () => {
    const [known, unknown] = [await newKey(), await newKey()];
    expect((await post('hash', { input: 'a' }, known.key)).status).toBe(200);
    service.kv.respond = fault;
    const begun = Date.now();
    const refused = await refusal(post('hash', { input: 'a' }, unknown.key));
    expect(refused).toMatchObject({ status: 503, code: 'unavailable' });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(Date.now() - begun).toBeLessThan(7000);
    expect((await post('hash', { input: 'a' }, known.key)).status).toBe(200);
    service.kv.respond = healthy.kv;
    expect((await post('hash', { input: 'a' }, unknown.key)).status).toBe(200);
  });

  it('costs nothing as R2, for a result to store; other calls succeed', async () => {
    const { key, name } = await newKey();
    service.r2.respond = fault;
    const refused = await refusal(post('optimize-image', { content: pixel }, key));
    expect(refused).toMatchObject({ status: 503, code: 'unavailable' });
    expect(refused.headers.get('x-credits-cost')).toBe('0');
    const inline = await post('optimize-image', { content: pixel, inline: true }, key);
    expect(inline.status).toBe(200);
    service.r2.respond = healthy.r2;
    expect((await post('optimize-image', { content: pixel }, key)).status).toBe(200);
    await expect.poll(async () => (await admin.describe(name)).credits, { timeout: 5000 }).toBe(90);
  }, 45_000);
});

describe.each(faults)('a neighbour that %s', (_, fault) => {
  it.each([
    ['resolver', 'dns-lookup', { domain: 'example.com' }],
    [
      'textModel',
      'summarize',
      { text: 'The bridge is closed. Its pillars have cracks. Buses take the new one.' },
    ],
  ] as const)(
    'costs nothing as %s; other calls succeed',
    async (neighbour, tool, input) => {
      const { key, name } = await newKey();
      const outside = { resolver, textModel }[neighbour];
      outside.respond = fault;
      const begun = Date.now();
      const refused = await refusal(post(tool, input, key));
      expect(refused).toMatchObject({ status: 503, code: 'unavailable' });
      expect(refused.headers.get('x-credits-cost')).toBe('0');
      expect(Date.now() - begun).toBeLessThan(12_000);
      expect((await post('hash', { input: 'a' }, key)).status).toBe(200);
      outside.respond = healthy[neighbour];
      const good = await post(tool, input, key);
      expect(good.status).toBe(200);
      const left = 100 - 1 - Number(good.headers.get('x-credits-cost'));
      await expect
        .poll(async () => (await admin.describe(name)).credits, { timeout: 5000 })
        .toBe(left);
    },
    45_000,
  );
});

it.each(faults)(
  'a call is answered though its answer cannot be stored, because R2 %s',
  async (_, fault) => {
    const { key, name } = await newKey();
    const call = () =>
      fetch(`${service.url}/api/encode`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': 'large',
        },
        body: JSON.stringify({ action: 'encode', format: 'hex', input: 'a'.repeat(200_000) }),
      });
    service.r2.respond = fault;
    expect((await call()).status).toBe(200);
    service.r2.respond = healthy.r2;
    await sleep(1500);
    expect((await admin.describe(name)).credits).toBe(99);
  },
  30_000,
);

it('a fault is shown on /health', async () => {
  const health = async () => {
    const answer = await fetch(`${service.url}/health`);
    const { status, parts } = (await answer.json()) as { status: string; parts: object };
    return { http: answer.status, status, parts };
  };
  const check = async (part: string, neighbour: Outside, respond: RequestListener) => {
    neighbour.respond = respond;
    expect(await health()).toMatchObject({ http: 503, status: 'down', parts: { [part]: 'down' } });
  };
  for (const [, fault] of faults.filter(([name]) => name !== 'answers rubbish')) {
    await check('keys', service.kv, fault);
    service.kv.respond = healthy.kv;
    await check('files', service.r2, fault);
    service.r2.respond = healthy.r2;
  }
}, 45_000);
