// Do light calls wait for heavy ones? Hash calls of `npm start` on 16 connections, alone, and together with 4
// clients that optimize pictures of 12 megapixels and 2 that format 300 kB of code; with one and with two
// workshop processes. The front, the workshop processes and this program share the cores.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../scripts/free-port.ts';
import { localKey, readLocal } from '../scripts/local.ts';
import { startService } from '../scripts/service.ts';
import { compared } from './compare.ts';
import { load, median, type Load } from './load.ts';

const connections = 16;
const seconds = 10;
const rounds = 3;
const body = JSON.stringify({ input: 'hello' });

interface Measured {
  alone: Load[];
  beside: Load[];
  /** Heavy calls a second. */
  heavy: number[];
}

const one = await measure(1);
compared({
  what: 'hash calls of npm start, 16 connections',
  unit: 'requests/s',
  ours: one.alone.map(({ requestsPerSecond }) => requestsPerSecond),
  peer: 'wanted, as a figure',
  theirs: one.alone.map(() => 3000),
  wanted: '1 or more',
});
compared({
  what: 'p99 of hash calls beside heavy ones',
  unit: 'ms',
  ours: one.beside.map(({ p99 }) => p99),
  peer: 'the same alone',
  theirs: one.alone.map(({ p99 }) => p99),
  wanted: '5 or less, and 50 ms or less',
});
for (const name of ['alone', 'beside'] as const) {
  const [p50, p99] = [one[name].map((each) => each.p50), one[name].map((each) => each.p99)];
  console.log(
    `hash calls ${name}: p50 ${median(p50).toFixed(1)} ms, p99 ${median(p99).toFixed(1)} ms`,
  );
}
const two = await measure(2);
compared({
  what: 'heavy calls with two processes',
  unit: 'calls/s',
  ours: two.heavy,
  peer: 'with one',
  theirs: one.heavy,
  wanted: '1.6 or more, as far as the processors allow',
});

async function measure(workshops: number): Promise<Measured> {
  const state = await mkdtemp(join(tmpdir(), 'mixed-'));
  const local = await readLocal(join(state, 'local.json'));
  const vars = {
    ADMIN_SECRET: local.adminSecret,
    LINK_SECRET: local.linkSecret,
    RATE_LIMIT: '1000000000',
  };
  const service = await startService({ port: await freePort(), persistTo: state, vars, workshops });
  try {
    const key = await localKey(join(state, 'local.json'), local, service.url);
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
    const hash = () => load(`${service.url}/api/hash`, headers, body, { connections, seconds });
    await load(`${service.url}/api/hash`, headers, body, { connections, seconds: 3 });
    const measured: Measured = { alone: [], beside: [], heavy: [] };
    for (let round = 0; round < rounds; round++) {
      measured.alone.push(await hash());
      const clients = fork(join(import.meta.dirname, 'heavy-clients.ts'));
      clients.send({ url: service.url, key });
      await once(clients, 'message');
      await sleep(2000);
      clients.send('count');
      measured.beside.push(await hash());
      clients.send('stop');
      const [calls] = (await once(clients, 'message')) as [number];
      measured.heavy.push(calls / seconds);
      await once(clients, 'exit');
    }
    return measured;
  } finally {
    await service.stop();
    await rm(state, { recursive: true });
  }
}
