import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { localKey, readLocal } from '../../scripts/local.ts';
import { freePort, startService } from '../../scripts/service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    service: { url: string; key: string; adminSecret: string };
  }
}

/** Starts the real service once for all end-to-end tests, with a state of its own. */
export default async function setup(project: TestProject) {
  const state = await mkdtemp(join(tmpdir(), 'service-'));
  const local = await readLocal(join(state, 'local.json'));
  const vars = {
    ADMIN_SECRET: local.adminSecret,
    LINK_SECRET: local.linkSecret,
    RATE_LIMIT: '1000000',
  };
  const service = await startService({ port: await freePort(), persistTo: state, vars });
  const key = await localKey(join(state, 'local.json'), local, service.url);
  project.provide('service', { url: service.url, key, adminSecret: local.adminSecret });
  return async () => {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  };
}
