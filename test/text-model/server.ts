import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A language model's place on the network, which behaves as the first part of the path says, as in
 * `/status~500~~some-test/chat/completions`: there is no model to be had on this machine, and a real
 * one misbehaves only when nobody looks.
 */
export async function startTextModel(port = 0) {
  const asked = new Map<string, unknown[]>();
  const server = createServer((request, response) => {
    serve(request, response, asked).catch(() => response.destroy());
  });
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

type Asked = { messages: { role: string; content: string }[]; [setting: string]: unknown };

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  asked: Map<string, unknown[]>,
): Promise<void> {
  const [, behaviour = ''] = (request.url ?? '').split('/');
  // What it was asked so far, for the tests to look at.
  if (request.method === 'GET')
    return void response.end(JSON.stringify(asked.get(behaviour) ?? []));
  const body = JSON.parse(await bodyOf(request)) as Asked;
  const { authorization } = request.headers;
  const calls = asked.get(behaviour) ?? [];
  asked.set(behaviour, [...calls, { ...body, authorization, path: request.url }]);
  await behave(behaviour, body, response, calls.length);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function behave(
  behaviour: string,
  body: Asked,
  response: ServerResponse,
  earlier: number,
): Promise<unknown> {
  const [name = '', argument = ''] = behaviour.split('~');
  const say = (content: unknown, more: object = {}) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(
      JSON.stringify({
        choices: [
          { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', ...more },
        ],
      }),
    );
  const given = Buffer.from(argument, 'base64url').toString();
  const text = body.messages.at(-1)!.content.split('\n').slice(1, -1).join('\n');
  switch (name) {
    case 'says':
      return say(given);
    case 'status':
      return response.writeHead(Number(argument)).end('{"error":{"message":"no"}}');
    case 'flaky':
      return earlier % 2 === 0 ? response.writeHead(500).end() : say(firstOf(text));
    case 'picky':
      return 'temperature' in body ? response.writeHead(400).end() : say(firstOf(text));
    case 'silent':
      return undefined;
    case 'slow':
      await sleep(1500);
      return say(firstOf(text));
    case 'endless':
      response.writeHead(200, { 'Content-Type': 'application/json' });
      for (; !response.destroyed; await sleep(0)) response.write('x'.repeat(65_536));
      return undefined;
    case 'dripping':
      response.writeHead(200, { 'Content-Type': 'application/json' });
      for (; !response.destroyed; await sleep(50)) response.write(' ');
      return undefined;
    case 'hangs-up':
      return response.destroy();
    case 'dies':
      response.writeHead(200, { 'Content-Length': '1000' }).write('{"choices":[{"message":{"con');
      await sleep(20);
      return response.destroy();
    case 'html':
      return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>');
    case 'raw':
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(given);
    case 'redirect':
      return response.writeHead(302, { Location: '/says~SGVsbG8/chat/completions' }).end();
    case 'repeats':
      return say(body.messages.map(({ content }) => content).join('\n'));
    case 'cut':
      return say(`${firstOf(text)} And then it was in the mid`, { finish_reason: 'length' });
    case 'first':
      return say(firstOf(text));
    case 'all':
      return say(text);
    default:
      return response.writeHead(404).end();
  }
}

/** What a model might say of a text: its first two sentences. */
const firstOf = (text: string) =>
  text
    .match(/[^.!?。]+[.!?。]+/g)
    ?.slice(0, 2)
    .join('')
    .trim() ?? text;
