// What does a call cost on Cloudflare? Processor time of workerd for the first example of each tool that needs
// no external service, compared with a bare Hono route, and the cost by Cloudflare's prices.
import { readFileSync } from 'node:fs';
import { startBench } from './start.ts';

/** Prices in US dollars per million (developers.cloudflare.com, Workers and Durable Objects, 2026). */
const dollars = {
  requests: 0.3,
  cpuMilliseconds: 0.02,
  objectRequests: 0.15,
  rowsWritten: 1,
  logLines: 0.6,
};
/** Rows that a report to an account writes: usage, balance and lease. */
const rowsOfReport = 3;
/**
 * Reports of a single call: one asks for its price, one settles a second later. A busy isolate sends one a
 * second.
 */
const loneReports = 2;

const calls = 300;
const bench = await startBench({ TEXT_MODEL_NAME: '' });
try {
  const { paths } = (await (await fetch(`${bench.service}/openapi.json`)).json()) as Description;
  const bare = await cpu(`${bench.bare}/api/hash`, { input: 'hello' });
  console.log(`bare Hono                 ${bare.toFixed(2)} ms`);
  for (const [path, { post }] of Object.entries(paths)) {
    const [example] = Object.values(post.requestBody.content['application/json']?.examples ?? {});
    if (!example || !(await works(`${bench.service}${path}`, example.value))) continue;
    const own = await cpu(`${bench.service}${path}`, example.value);
    const price = (reports: number) =>
      dollars.requests +
      own * dollars.cpuMilliseconds +
      dollars.logLines +
      reports * (dollars.objectRequests + rowsOfReport * dollars.rowsWritten);
    console.log(
      `${path.padEnd(26)}${own.toFixed(2)} ms, a million calls: $${price(0).toFixed(2)} busy, ` +
        `$${price(loneReports).toFixed(2)} each alone; a billion a month, busy: $${Math.round(price(0) * 1000)}`,
    );
  }
} finally {
  bench.stop();
}

interface Description {
  paths: Record<
    string,
    {
      post: {
        requestBody: {
          content: Record<string, { examples?: Record<string, { value: unknown }> } | undefined>;
        };
      };
    }
  >;
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bench.key}` },
    body: JSON.stringify(body),
  });
}

/** Whether a tool answers without external services. Also warms the tool up. */
async function works(url: string, body: unknown): Promise<boolean> {
  for (let i = 0; i < 30; i++) {
    const answer = await post(url, body);
    await answer.arrayBuffer();
    if (!answer.ok) return false;
  }
  return true;
}

/** Returns the processor time of one call in milliseconds. */
async function cpu(url: string, body: unknown): Promise<number> {
  const before = ticks();
  for (let i = 0; i < calls; i++) await (await post(url, body)).arrayBuffer();
  // Linux counts processor time in hundredths of a second.
  return ((ticks() - before) * 10) / calls;
}

function ticks(): number {
  const fields = readFileSync(`/proc/${bench.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
