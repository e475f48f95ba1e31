import { readFileSync } from 'node:fs';
import { operator } from '../scripts/operator.ts';
import { startDeployed } from '../scripts/workerd.ts';

interface Bench {
  /** The service, as `wrangler deploy` would upload it. */
  service: string;
  /** A bare Hono route in the same workerd. */
  bare: string;
  key: string;
  pid: number;
  stop(): void;
}

/** Runs the service and a bare Hono route side by side, and makes a key with a billion credits. */
export async function startBench(vars: Record<string, string> = {}): Promise<Bench> {
  const { url, bare, pid, adminSecret, stop } = await startDeployed({ vars, bare: true });
  const admin = operator(url, adminSecret);
  const { key } = await admin.createKey('bench', 'bench');
  await admin.grant('bench', 1e9);
  return { service: url, bare, key, pid: pid(), stop };
}

/** Resident memory of a process. */
export const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;
