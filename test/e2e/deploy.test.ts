import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, inject, it } from 'vitest';
import { bundled, type Part } from '../../scripts/bundles.ts';
import { bundledModules, modulesOf, workerd } from '../../scripts/workerd.ts';
import { MiB } from '../../src/tools/tool.ts';
import { print } from '../print.ts';

/** Bytes, compressed as Cloudflare counts. */
const largestFront = 1.5 * MiB;
/** Bytes as they are: a Worker may have 64 MiB (Workers limits, "Worker size"). */
const largestWorker = 64 * MiB;
/** Milliseconds of processor time from nothing to the first answer, beyond a bare Worker; 120 when idle. */
const longestStart = 180;

const weigh = async (part: Part, inFile = (content: Buffer) => content) => {
  const folder = await bundled(part);
  const sizes = bundledModules(folder).map(
    ({ name }) => inFile(readFileSync(join(folder, name))).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

it('has a small front, and a workshop within the size limit', async () => {
  expect(await weigh('front', gzipSync)).toBeLessThan(largestFront);
  expect(await weigh('workshop')).toBeLessThan(largestWorker);
  expect(await weigh('service')).toBeLessThan(largestWorker);
});

const bareWorker = `export default { fetch: () => new Response('{}') }`;

/** Processor time of a workerd that runs one Worker, until its first answer, in milliseconds. */
async function timeToFirstAnswer(modules: string, folder: string): Promise<number> {
  const socket = join(folder, `${performance.now()}.sock`);
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [${modules}], compatibilityDate = "2026-11-01",
    bindings = [(name = "FREE_RATE_LIMIT", text = "60")],
  ))],
  sockets = [(name = "main", address = "unix:${socket}", http = (), service = "main")],
);`;
  await writeFile(join(folder, 'config.capnp'), config);
  const workerdProcess = spawn(workerd(), ['serve', join(folder, 'config.capnp')], {
    stdio: 'ignore',
  });
  try {
    for (;;) {
      const answered = await answers(socket);
      if (answered) break;
      await sleep(5);
    }
    const stat = readFileSync(`/proc/${workerdProcess.pid}/stat`, 'utf8').split(' ');
    // utime and stime, in hundredths of a second (proc_pid_stat(5)).
    return (Number(stat[13]) + Number(stat[14])) * 10;
  } finally {
    workerdProcess.kill('SIGKILL');
  }
}

const answers = (socketPath: string) =>
  new Promise<boolean>((resolve) => {
    const body = '{"input":"hello"}';
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const options = { socketPath, path: '/api/json-escape', method: 'POST', headers };
    const asked = request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    });
    asked.on('error', () => resolve(false));
    asked.end(body);
  });

it('answers its first call soon after the start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'start-'));
  await writeFile(join(folder, 'bare.js'), bareWorker);
  const front = modulesOf(await bundled('front'), folder);
  const bare = '(name = "bare.js", esModule = embed "bare.js")';
  // The least of several, because everything else that runs can only add to it.
  const least = { front: Infinity, bare: Infinity };
  for (let i = 0; i < 8; i++) {
    least.front = Math.min(least.front, await timeToFirstAnswer(front, folder));
    least.bare = Math.min(least.bare, await timeToFirstAnswer(bare, folder));
  }
  print(`first answer: ${least.front} ms of processor time, a bare Worker ${least.bare} ms`);
  expect(least.front - least.bare).toBeLessThan(longestStart);
  await rm(folder, { recursive: true });
});

it('has a valid OpenAPI description', async () => {
  const source = await (await fetch(`${inject('service').url}/openapi.json`)).text();
  const problems = await lintFromString({
    source,
    config: await createConfig({ extends: ['recommended'] }),
  });
  expect(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
  ).toEqual([]);
});
