import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { localKey, readLocal } from '../../scripts/local.ts';
import { startResolver } from '../resolver/responder.ts';
import { freePort } from '../../scripts/free-port.ts';
import { startService, type Options, type Service } from '../../scripts/service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    service: { url: string; key: string; adminSecret: string; frontPid: number };
  }
}

/** Starts the real service with a state of its own. */
export async function startOwnService(
  vars: Record<string, string> = {},
  options: Pick<Options, 'browserProxy' | 'dnsServers'> = {},
): Promise<Service & { key: string; adminSecret: string; state: string }> {
  const state = await mkdtemp(join(tmpdir(), 'service-'));
  const local = await readLocal(join(state, 'local.json'));
  const service = await startService({
    port: await freePort(),
    persistTo: state,
    ...options,
    vars: {
      ADMIN_SECRET: local.adminSecret,
      LINK_SECRET: local.linkSecret,
      RATE_LIMIT: '1000000',
      FREE_CREDITS: '0',
      ALLOW_PRIVATE_HOSTS: 'true',
      TEXT_MODEL_NAME: '',
      ...vars,
    },
  });
  return {
    ...service,
    key: await localKey(join(state, 'local.json'), local, service.url),
    adminSecret: local.adminSecret,
    state,
    async stop() {
      await service.stop();
      await rm(state, { recursive: true, force: true });
    },
  };
}

/** One service for all end-to-end tests, and a resolver, since there is none outside. */
export default async function setup(project: TestProject) {
  const resolver = await startResolver();
  const service = await startOwnService({ DOH_URL: resolver.url });
  const { url, key, adminSecret, stop } = service;
  project.provide('service', { url, key, adminSecret, frontPid: service.front() });
  return () => Promise.all([stop(), resolver.stop()]);
}
