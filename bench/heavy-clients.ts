// The clients with heavy calls in bench/mixed.ts, in a separate process. Each connection sends one call after
// the other. Answers are counted between the messages `count` and `stop`.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

// Received as a message, because other users can read arguments.
const [{ url, key }] = (await once(process, 'message')) as [{ url: string; key: string }];
const authorization = `Bearer ${key}`;

/** A picture of 12 megapixels with the detail of a photo: clouds of several sizes, and noise. */
const picture = await sharp({
  create: {
    width: 4000,
    height: 3000,
    channels: 3,
    background: '#888',
    noise: { type: 'gaussian', mean: 128, sigma: 40 },
  },
})
  .blur(3)
  .jpeg({ quality: 90 })
  .toBuffer();
const source = readFileSync(join(import.meta.dirname, '../src/account/account.ts'), 'utf8');
const code = source.repeat(Math.ceil(300_000 / source.length)).slice(0, 300_000);
const whole = code.slice(0, code.lastIndexOf('\n/**'));

let calls = 0;
let counting = false;
const stop = new AbortController();

async function client(send: () => Promise<Response>) {
  while (!stop.signal.aborted) {
    const answer = await send();
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`a heavy call was answered with ${answer.status}`);
    if (counting) calls += 1;
  }
}

const optimise = () => {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(picture)], 'photo.jpg'));
  form.set('options', JSON.stringify({ output_format: 'jpeg', max_width: 1600, inline: true }));
  return fetch(`${url}/api/optimize-image`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
};

const format = () =>
  fetch(`${url}/api/format-code`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ language: 'ts', code: `${unique()}${whole}` }),
  });

/** Makes each call unique, so that no cache can answer it. */
const unique = () => `// ${crypto.randomUUID()}\n`;

process.on('message', (message) => {
  if (message === 'count') counting = true;
  if (message !== 'stop') return;
  stop.abort();
  process.send!(calls);
});
const running = [...Array.from({ length: 4 }, () => optimise), format, format].map(client);
process.send!('ready');
await Promise.all(running);
process.disconnect();
