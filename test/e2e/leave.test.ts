import { createConnection, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operator, type Operator } from '../../scripts/operator.ts';
import { startTextModel } from '../text-model/server.ts';
import { post } from './call.ts';
import { startOwnService } from './service.ts';

/** Clients that leave in the middle of a call, by resetting their connection, take nothing along. */

let model: Awaited<ReturnType<typeof startTextModel>>;
let service: Awaited<ReturnType<typeof startOwnService>>;
let admin: Operator;

beforeAll(async () => {
  model = await startTextModel();
  service = await startOwnService({
    TEXT_MODEL_URL: `${model.url}/silent/v1`,
    TEXT_MODEL_NAME: 'any',
  });
  admin = operator(service.url, service.adminSecret);
});
afterAll(async () => {
  await service?.stop();
  await model?.stop();
});

let accounts = 0;

async function newAccount(credits: number) {
  const name = `leaver-${(accounts += 1)}`;
  const { key } = await admin.createKey(name, 'test');
  await admin.grant(name, credits);
  return { name, key };
}

type Stage = 'headers' | 'body' | 'account' | 'running' | 'answer';

interface Left {
  key: string;
  tool: string;
  body: string;
  stage: Stage;
  headers?: Record<string, string>;
}

/** Sends a call as far as a stage, and resets the connection there. */
async function leave({ key, tool, body, stage, headers = {} }: Left): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const lines = [
    `POST /api/${tool} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  await sendTo(socket, stage, lines, body);
  socket.resetAndDestroy();
}

async function sendTo(socket: Socket, stage: Stage, lines: string[], body: string) {
  if (stage === 'headers') {
    socket.write(lines.slice(0, 3).join('\r\n'));
    return sleep(50);
  }
  const head = `${lines.join('\r\n')}\r\n\r\n`;
  if (stage === 'body') {
    socket.write(head + body.slice(0, body.length / 2));
    return sleep(100);
  }
  socket.write(head + body);
  if (stage === 'running') return sleep(400);
  if (stage === 'answer') await once(socket, 'data');
}

const stages: Stage[] = ['headers', 'body', 'account', 'running', 'answer'];

/** Every kind of tool, with an input that takes its time. */
const kinds = {
  'a light tool': { tool: 'slug', body: { input: 'Crème brûlée '.repeat(5000) } },
  'a tool of the workshop': {
    tool: 'format-code',
    body: { language: 'js', code: 'const a = [1,2,3].map( x=>x*2 );\n'.repeat(1000) },
  },
  'the converter': {
    tool: 'convert-document/json',
    body: { content: `# a\n\n${'word *word* '.repeat(3000)}`, from: 'markdown', to: 'docx' },
  },
  'the browser': { tool: 'screenshot', body: { html: '<h1>hello</h1>', delay_ms: 1500 } },
  'a text model': { tool: 'summarize', body: { text: 'It is late. We go home. '.repeat(50) } },
};

/** Credits that an account can spend now: each call of 5 must be answered, and one more refused. */
async function expectSpendable(key: string, credits: number) {
  const picture = { content: 'R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', inline: true };
  const calls = Array.from({ length: credits / 5 }, () =>
    post('optimize-image/json', picture, key, service.url),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses).toEqual(statuses.map(() => 200));
  expect((await post('optimize-image/json', picture, key, service.url)).status).toBe(402);
}

describe.each(Object.entries(kinds))('%s', (_name, { tool, body }) => {
  // A model that never answers sends nothing either.
  const possible = stages.filter((stage) => stage !== 'answer' || tool !== 'summarize');
  it.concurrent.each(possible)(
    'gives credits back after a disconnect at the stage of the %s',
    async (stage) => {
      const { name, key } = await newAccount(30);
      const six = Array.from({ length: 6 }, () =>
        leave({ key, tool, body: JSON.stringify(body), stage }),
      );
      await Promise.all(six);
      await sleep(1000);
      const { usage } = await admin.describe(name);
      const charged = usage.reduce((sum, { credits }) => sum + credits, 0);
      // Whoever left before the call had begun has not paid.
      if (stage === 'headers' || stage === 'body') expect(charged).toBe(0);
      const rest = 30 - charged;
      await expectSpendable(key, rest - (rest % 5));
    },
  );
});

it('frees the memory budget of large bodies after a disconnect', async () => {
  const { key } = await newAccount(100);
  const body = JSON.stringify({ text: 'It is late. '.repeat(70_000) });
  for (const stage of ['body', 'running'] as const) {
    const left = Array.from({ length: 16 }, () => leave({ key, tool: 'summarize', body, stage }));
    await Promise.all(left);
  }
  const start = performance.now();
  const large = await post('hash', { input: 'a'.repeat(9_000_000) }, key, service.url);
  expect(large.status).toBe(200);
  expect(performance.now() - start).toBeLessThan(3000);
});

it('lets a call with an Idempotency-Key run again', async () => {
  const { key } = await newAccount(30);
  const { tool, body } = kinds['the browser'];
  const headers = { 'Idempotency-Key': 'again' };
  await leave({ key, tool, body: JSON.stringify(body), stage: 'running', headers });
  await sleep(1000);
  const again = await fetch(`${service.url}/api/${tool}`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([again.status, again.headers.get('x-credits-cost')]).toEqual([200, '5']);
});

it('serves further calls normally after disconnects', async () => {
  const { key } = await newAccount(100);
  for (const { tool, body } of Object.values(kinds)) {
    if (tool === 'summarize') continue;
    const answer = await post(tool, body, key, service.url);
    expect([tool, answer.status]).toEqual([tool, 200]);
  }
});

it('ends every call when a workshop process is killed, and charges only answered calls', async () => {
  const { name, key } = await newAccount(1000);
  const { tool, body } = kinds['a tool of the workshop'];
  const calls = Array.from({ length: 10 }, () => post(tool, body, key, service.url));
  await sleep(600);
  process.kill(service.workshops()[0]!, 'SIGKILL');
  const answers = await Promise.all(calls);
  const statuses = answers.map(({ status }) => status);
  for (const status of statuses) expect([200, 503]).toContain(status);
  const start = performance.now();
  expect((await post('validate', { type: 'json', input: '1' }, key, service.url)).status).toBe(200);
  expect(performance.now() - start).toBeLessThan(3000);
  await sleep(2500);
  const { usage } = await admin.describe(name);
  const answered = statuses.filter((status) => status === 200).length;
  expect(usage.find((row) => row.tool === tool)?.calls ?? 0).toBe(answered);
}, 60_000);
