import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../../scripts/bundles.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('creates a complete folder', async () => {
  await makeFolder(join(folder, 'bundle'), (draft) => writeFile(join(draft, 'a'), 'a'));
  expect(await readdir(folder, { recursive: true })).toEqual(['bundle', 'bundle/a']);
});

it('leaves nothing when filling fails', async () => {
  const making = makeFolder(join(folder, 'bundle'), async (draft) => {
    await writeFile(join(draft, 'half'), 'a');
    throw new Error('the sources are wrong');
  });
  await expect(making).rejects.toThrow('the sources are wrong');
  expect(await readdir(folder)).toEqual([]);
});

it('keeps a folder that another process created meanwhile', async () => {
  await makeFolder(join(folder, 'bundle'), async () => {
    await makeFolder(join(folder, 'bundle'), (draft) => writeFile(join(draft, 'first'), 'a'));
  });
  expect(await readdir(folder, { recursive: true })).toEqual(['bundle', 'bundle/first']);
});
