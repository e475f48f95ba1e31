import { readFileSync } from 'node:fs';
import { operator } from '../scripts/operator.ts';
import { startDeployed } from '../scripts/workerd.ts';

interface Bench {
  /** URL of the service, in the bundles of `npm run deploy`. */
  service: string;
  /** URL of a Hono route without middleware in the same workerd. */
  bare: string;
  key: string;
  pid: number;
  stop(): void;
}

/** Starts the service and a bare Hono route, and creates a key with a billion credits. */
export async function startBench(vars: Record<string, string> = {}): Promise<Bench> {
  const { url, bare, pid, adminSecret, stop } = await startDeployed({ vars, bare: true });
  const admin = operator(url, adminSecret);
  const { key } = await admin.createKey('bench', 'bench');
  await admin.grant('bench', 1e9);
  return { service: url, bare, key, pid: pid(), stop };
}

/** Returns the resident memory of a process in megabytes. */
export const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;
