import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import type { Local } from '../../scripts/local.ts';
import { post } from './call.ts';
import { npmStart, type Started } from './npm-start.ts';
import { descendantsOf } from './processes.ts';

const modelKey = 'a-key-of-a-text-model';
let started: Started;
let folder: string;
let state: string;
let secrets: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  state = join(folder, 'state');
  const port = String(await freePort());
  started = await npmStart({ PORT: port, STATE_DIR: state, TEXT_MODEL_KEY: modelKey });
  const url = `http://127.0.0.1:${port}`;
  const local = JSON.parse(await readFile(join(state, 'local.json'), 'utf8')) as Local;
  secrets = [local.adminSecret, local.linkSecret, local.key!.key, modelKey];
  await post('hash', { input: 'a' }, started.key, url);
  // Has a browser started.
  await post('screenshot', { url }, started.key, url);
});
afterAll(async () => {
  started.npm.kill('SIGTERM');
  await once(started.npm, 'exit');
  await rm(folder, { recursive: true });
});

const holds = (text: string) => secrets.filter((secret) => text.includes(secret));

describe.skipIf(process.platform !== 'linux')('a process of npm start', () => {
  it('has no secret in its arguments', () => {
    const processes = descendantsOf(started.npm.pid!);
    expect(processes.length).toBeGreaterThan(6);
    for (const { args } of processes) expect([args, holds(args.join(' '))]).toEqual([args, []]);
  });

  it('has no secret in its environment, except the converter its own', () => {
    const processes = descendantsOf(started.starter());
    const told = processes.filter(({ environment }) => holds(environment.join(' ')).length > 0);
    expect(told.map(({ args }) => args)).toEqual([]);
    const converters = processes.filter(({ environment }) =>
      environment.some((variable) => variable.startsWith('CONVERTER_SECRET=')),
    );
    expect(converters.map(({ args }) => args.at(-1))).toEqual([
      expect.stringMatching(/container\/src\/main\.ts$/),
    ]);
  });
});

it('prints no secret except its key and a link, and logs calls without secrets', async () => {
  const log = join(state, 'service.log');
  await expect.poll(() => readFile(log, 'utf8')).toContain('"tool":"screenshot","status":200');
  expect(holds(await readFile(log, 'utf8'))).toEqual([]);
  const { output, errors } = started.printed();
  expect(holds(output)).toEqual([started.key]);
  expect(holds(errors)).toEqual([]);
  expect(output + errors).not.toContain('"event":"call"');
});

it('creates files that other users cannot read', async () => {
  const names = await readdir(state);
  expect(names.toSorted()).toEqual(['local.json', 'service.log', 'v3']);
  for (const name of names) {
    const { mode } = await stat(join(state, name));
    expect([name, mode & 0o077]).toEqual([name, 0]);
  }
});
