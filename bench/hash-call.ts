// How much does a key, a charge and a schema cost? The hash tool against a bare Hono route with
// bodies of the same size, in the same workerd, in turns.
import { load, median } from './load.ts';
import { startBench } from './start.ts';

const bench = await startBench();
const body = JSON.stringify({ input: 'hello' });
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${bench.key}` };
const rounds: { service: number; bare: number }[] = [];
try {
  for (const warm of [true, false, false, false, false, false]) {
    const seconds = warm ? 2 : 4;
    const bare = await load(`${bench.bare}/api/hash`, headers, body, { seconds });
    const service = await load(`${bench.service}/api/hash`, headers, body, { seconds });
    if (warm) continue;
    rounds.push({ service: service.requestsPerSecond, bare: bare.requestsPerSecond });
  }
} finally {
  bench.stop();
}
const ratios = rounds.map(({ service, bare }) => service / bare);
console.log(`hash call     ${Math.round(median(rounds.map(({ service }) => service)))} requests/s`);
console.log(`bare Hono     ${Math.round(median(rounds.map(({ bare }) => bare)))} requests/s`);
console.log(
  `ratio         ${median(ratios).toFixed(2)} (${ratios.map((r) => r.toFixed(2)).join(', ')}); wanted: 0.60 or more; both built without names of functions`,
);
