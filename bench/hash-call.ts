// How much does a key, a charge, a schema and a log line cost? The hash tool against a bare Hono route
// with bodies of the same size, in the same workerd, in turns; both built without names of functions.
// Then how late its slowest answers are with 64 connections, and what memory is like after 200,000 calls.
// What is late waited for V8 to collect garbage, every 2,000 calls or so: 10 ms for the scavenging, and as
// much again for workerd to let the headers of as many answers go.
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

/** Of all answers as they came; `--trace-gc` of workerd tells what the late ones waited for. */
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
