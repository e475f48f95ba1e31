// How fast are 5 MB hashed? Whole calls of the hash tool against the same digest in Node alone:
// OpenSSL by node:crypto, and hash-wasm for BLAKE3.
import { createHash, createHmac } from 'node:crypto';
import { blake3 } from 'hash-wasm';
import { median, timed } from './load.ts';
import { startBench } from './start.ts';

const size = 5 * 1024 * 1024;
const input = 'The quick brown fox. '.repeat(Math.ceil(size / 21)).slice(0, size);

const peers: Record<string, () => unknown> = {
  md5: () => createHash('md5').update(input).digest(),
  sha1: () => createHash('sha1').update(input).digest(),
  sha256: () => createHash('sha256').update(input).digest(),
  sha512: () => createHash('sha512').update(input).digest(),
  blake3: () => blake3(input),
  'hmac-sha256': () => createHmac('sha256', 'key').update(input).digest(),
};

const bench = await startBench();
try {
  for (const [algorithm, peer] of Object.entries(peers)) await compare(algorithm, peer);
} finally {
  bench.stop();
}

async function compare(algorithm: string, peer: () => unknown) {
  const body = JSON.stringify({ input, algorithm, key: 'key' });
  const times: { call: number; tool: number; peer: number }[] = [];
  for (let i = 0; i < 15; i++) {
    const node = await timed(peer);
    let tool = 0;
    const call = await timed(async () => {
      tool = await hash(body);
    });
    if (i >= 3) times.push({ call, tool, peer: node });
  }
  const speed = (key: 'call' | 'tool' | 'peer') =>
    size / 1e6 / (median(times.map((time) => time[key])) / 1000);
  console.log(
    `${algorithm.padEnd(12)} tool ${speed('tool').toFixed(0)} MB/s, whole call ${speed('call').toFixed(0)} MB/s, ` +
      `Node ${speed('peer').toFixed(0)} MB/s, ratio tool/Node ${(speed('tool') / speed('peer')).toFixed(2)}; wanted: 300 MB/s`,
  );
}

/** Calls the tool and returns the milliseconds that validating and hashing took. */
async function hash(body: string): Promise<number> {
  const answer = await fetch(`${bench.service}/api/hash`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bench.key}` },
    body,
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return Number(/tool;dur=([\d.]+)/.exec(answer.headers.get('server-timing') ?? '')?.[1]);
}
