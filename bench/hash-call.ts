// What is the overhead of a key, a charge, a schema and a log line? The hash tool is compared with a bare Hono
// route with bodies of the same size, alternately in the same workerd, both built with keep_names = false.
// Also the latency of the slowest answers with 64 connections, and the memory after 200,000 calls.
// The slowest answers wait for V8's garbage collection, about every 2,000 calls: 10 ms for the scavenge, and
// another 10 ms for workerd to release the headers of these answers.
import { compared } from './compare.ts';
import { load, median, type Load } from './load.ts';
import { megabytes, startBench } from './start.ts';

const bench = await startBench();
const body = JSON.stringify({ input: 'hello' });
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${bench.key}` };
const urls = { service: `${bench.service}/api/hash`, bare: `${bench.bare}/api/hash` };
try {
  for (const connections of [32, 64]) {
    const rounds = await inTurns(connections);
    compared({
      what: `a charged hash call, ${connections} connections`,
      unit: 'requests/s',
      ours: rounds.map(({ service }) => service.requestsPerSecond),
      peer: 'bare Hono',
      theirs: rounds.map(({ bare }) => bare.requestsPerSecond),
      wanted: '0.60 or more',
    });
    if (connections === 64) lateness(rounds);
  }
  await memory();
} finally {
  bench.stop();
}

async function inTurns(connections: number) {
  const rounds: Record<'service' | 'bare', Load>[] = [];
  for (const warm of [true, false, false, false, false, false, false, false]) {
    const how = { connections, seconds: warm ? 2 : 4 };
    const bare = await load(urls.bare, headers, body, how);
    const service = await load(urls.service, headers, body, how);
    if (!warm) rounds.push({ service, bare });
  }
  return rounds;
}

/** Prints the latencies of all answers. workerd's `--trace-gc` shows the cause of the slow ones. */
function lateness(rounds: Record<'service' | 'bare', Load>[]) {
  for (const name of ['service', 'bare'] as const) {
    const [p50, p99] = (['p50', 'p99'] as const).map((key) =>
      median(rounds.map((round) => round[name][key])),
    ) as [number, number];
    console.log(
      `${name}, 64 connections: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ` +
        `${(p99 / p50).toFixed(1)} times (wanted: less than 4)`,
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
