import { once } from 'node:events';
import { createHistogram } from 'node:perf_hooks';
import autocannon, { type Result } from 'autocannon';

export interface Load {
  requestsPerSecond: number;
  /** Milliseconds from a request to its answer, not corrected for coordinated omission. */
  p50: number;
  p99: number;
}

/**
 * Repeats a POST over several connections, each with one request at a time.
 * Throws when any answer is not 200.
 */
export async function load(
  url: string,
  headers: Record<string, string>,
  body: string,
  { seconds = 5, connections = 32 } = {},
): Promise<Load> {
  const latency = createHistogram();
  const options = { url, method: 'POST', headers, body, connections, duration: seconds } as const;
  const running = autocannon(options, () => {});
  running.on('response', (_client, _status, _bytes, milliseconds) => {
    latency.record(Math.max(1, Math.round(milliseconds * 1000)));
  });
  const [{ '2xx': good, non2xx, errors, duration }] = (await once(running, 'done')) as [Result];
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} had none`);
  return {
    requestsPerSecond: good / duration,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
  };
}

export const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Returns the duration of `work` in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
