// npm test: type check, lint, formatting and all tests, and at the end how many passed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numFailedTestSuites: number;
}

const scratch = mkdtempSync(join(tmpdir(), 'test-'));
const file = join(scratch, 'report.json');

const checks: [name: string, ...command: string[]][] = [
  ['types', 'tsc', '--project', '.'],
  ['lint', 'oxlint', '--deny-warnings'],
  ['formatting', 'prettier', '--check', '--log-level', 'warn', '.'],
];

let [passed, failed, skipped] = [0, 0, 0];
for (const [name, command, ...args] of checks) {
  const ok = succeeds(command!, args);
  console.log(`${ok ? '✓' : '✗'} ${name}`);
  if (ok) passed += 1;
  else failed += 1;
}
const tested = succeeds('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${file}`,
]);
const report = readReport();
passed += report.numPassedTests;
// A file that could not be loaded has no tests to fail; it counts as one.
failed += report.numFailedTests || (tested ? 0 : Math.max(1, report.numFailedTestSuites));
skipped += report.numPendingTests;
rmSync(scratch, { recursive: true });
console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 ? 1 : 0);

function succeeds(command: string, args: string[]): boolean {
  const { status } = spawnSync(join('node_modules/.bin', command), args, { stdio: 'inherit' });
  return status === 0;
}

function readReport(): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numFailedTestSuites: 1 };
  }
}
