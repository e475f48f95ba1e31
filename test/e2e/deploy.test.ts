import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, inject, it } from 'vitest';

const run = promisify(execFile);
const wrangler = async (...args: string[]) =>
  (await run('node_modules/.bin/wrangler', args)).stdout;

/** The image of the converter would want Docker. */
const noImage = '--containers-rollout=none';
/** The free plan takes 3 MB (Workers limits, "Worker size"). */
const largestBundle = 3 * 1024;
/** CPU milliseconds: half of what Cloudflare allows (Workers limits, "Worker startup time"). */
const longestStart = 500;

it('fits into the free plan and starts in time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  const bundled = await wrangler('deploy', '--dry-run', noImage, '--outdir', folder);
  expect(Number(/gzip: ([\d.]+) KiB/.exec(bundled)![1])).toBeLessThan(largestBundle);

  const profile = join(folder, 'startup.cpuprofile');
  const said = await wrangler('check', 'startup', `--args=${noImage}`, '--outfile', profile);
  expect(Number(/Active: ([\d.]+) ms/.exec(said)![1])).toBeLessThan(longestStart);
  await rm(folder, { recursive: true });
});

it('describes itself in OpenAPI without a fault', async () => {
  const source = await (await fetch(`${inject('service').url}/openapi.json`)).text();
  const problems = await lintFromString({
    source,
    config: await createConfig({ extends: ['recommended'] }),
  });
  expect(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
  ).toEqual([]);
});
