import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Load {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/**
 * The same POST again and again over so many connections, by wrk (Debian's package of that name).
 * Throws when any answer is not 200.
 */
export async function load(
  url: string,
  headers: Record<string, string>,
  body: string,
  { seconds = 5, connections = 32 } = {},
): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), 'load-'));
  const script = join(folder, 'post.lua');
  const lines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers["${name}"] = "${value}"`,
  );
  writeFileSync(script, ['wrk.method = "POST"', `wrk.body = [[${body}]]`, ...lines].join('\n'));
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url];
  try {
    const { stdout } = await promisify(execFile)('wrk', args);
    if (stdout.includes('Non-2xx')) throw new Error(`not all answers were 200:\n${stdout}`);
    return {
      requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
      p50: milliseconds(/ 50%\s+(\S+)/.exec(stdout)![1]!),
      p99: milliseconds(/ 99%\s+(\S+)/.exec(stdout)![1]!),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Error('wrk is missing: apt-get install wrk', { cause: error });
    }
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As wrk writes times: `640.00us`, `2.14ms`, `1.02s`. */
function milliseconds(time: string): number {
  const factor = time.endsWith('us') ? 1e-3 : time.endsWith('ms') ? 1 : 1000;
  return Number.parseFloat(time) * factor;
}

export const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
