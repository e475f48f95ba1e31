// How much does a key, a charge, a schema and a log line cost? The hash tool against a bare Hono route
// with bodies of the same size, in the same workerd, in turns; both built without names of functions.
// Then how late its slowest answers are with 64 connections, and what memory is like after 200,000 calls.
import { load, median } from './load.ts';
import { megabytes, startBench } from './start.ts';

const bench = await startBench();
const body = JSON.stringify({ input: 'hello' });
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${bench.key}` };
const urls = { service: `${bench.service}/api/hash`, bare: `${bench.bare}/api/hash` };
try {
  await throughput();
  await latency();
  await memory();
} finally {
  bench.stop();
}

async function throughput() {
  const rounds: { service: number; bare: number }[] = [];
  for (const warm of [true, false, false, false, false, false]) {
    const seconds = warm ? 2 : 4;
    const bare = await load(urls.bare, headers, body, { seconds });
    const service = await load(urls.service, headers, body, { seconds });
    if (warm) continue;
    rounds.push({ service: service.requestsPerSecond, bare: bare.requestsPerSecond });
  }
  const ratios = rounds.map(({ service, bare }) => service / bare);
  console.log(`hash call  ${Math.round(median(rounds.map(({ service }) => service)))} requests/s`);
  console.log(`bare Hono  ${Math.round(median(rounds.map(({ bare }) => bare)))} requests/s`);
  console.log(
    `ratio      ${median(ratios).toFixed(2)} (${ratios.map((r) => r.toFixed(2)).join(', ')}); wanted: 0.60 or more`,
  );
}

async function latency() {
  for (const [name, url] of Object.entries(urls)) {
    const { p50, p99 } = await load(url, headers, body, { connections: 64 });
    console.log(
      `${name}, 64 connections: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, ${(p99 / p50).toFixed(0)} times (wanted: 4)`,
    );
  }
}

async function memory() {
  const before = megabytes(bench.pid);
  let calls = 0;
  const figures: string[] = [];
  while (calls < 200_000) {
    const { requestsPerSecond } = await load(urls.service, headers, body, { seconds: 6 });
    calls += requestsPerSecond * 6;
    figures.push(megabytes(bench.pid).toFixed(0));
  }
  console.log(
    `${Math.round(calls / 1000)},000 calls: ${before.toFixed(0)} MB resident before, then ${figures.join(', ')}`,
  );
}
