import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Requests a second that an address answers with 200 to the same POST, by wrk (Debian's package of
 * that name). Throws when any answer is another one.
 */
export function requestsPerSecond(
  url: string,
  headers: Record<string, string>,
  body: string,
  seconds = 5,
): number {
  const folder = mkdtempSync(join(tmpdir(), 'load-'));
  const script = join(folder, 'post.lua');
  const lines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers["${name}"] = "${value}"`,
  );
  writeFileSync(script, ['wrk.method = "POST"', `wrk.body = [[${body}]]`, ...lines].join('\n'));
  const { stdout, error } = spawnSync('wrk', ['-t1', '-c32', `-d${seconds}s`, '-s', script, url], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  if (error) throw new Error('wrk is missing: apt-get install wrk');
  if (stdout.includes('Non-2xx')) throw new Error(`not all answers were 200:\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

export const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
