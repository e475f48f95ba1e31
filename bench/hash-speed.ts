// How fast are 5 MB hashed? Whole calls of the hash tool are compared with the same digest in Node: OpenSSL by
// node:crypto, and hash-wasm for BLAKE3.
import { createHash, createHmac } from 'node:crypto';
import { blake3 } from 'hash-wasm';
import { compared } from './compare.ts';
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
  const [ours, theirs, calls]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < 15; i++) {
    const node = await timed(peer);
    let tool = 0;
    const call = await timed(async () => {
      tool = await hash(body);
    });
    if (i < 3) continue;
    ours.push(speed(tool));
    theirs.push(speed(node));
    calls.push(speed(call));
  }
  const whole = `whole call ${median(calls).toFixed(0)} MB/s`;
  compared({
    what: `${algorithm} of 5 MB (${whole})`,
    unit: 'MB/s',
    ours,
    peer: algorithm === 'blake3' ? 'hash-wasm in Node' : 'OpenSSL in Node',
    theirs,
    wanted: 'none; ours 300 MB/s',
  });
}

/** Returns the speed in MB/s. */
function speed(milliseconds: number): number {
  return size / 1000 / milliseconds;
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
