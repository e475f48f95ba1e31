// npm test: type check, lint, formatting and all tests, and at the end how many passed.
// npm run test:unit, test:e2e …: the tests of one project of vitest.config.mts alone.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { outputFile, readReport, reportFile, type Report } from './test-report.ts';

const [project] = process.argv.slice(2);
/** Scripts of package.json; `npm run check` runs the same. */
const checks = project ? [] : ['typecheck', 'lint', 'format:check'];

let [passed, failed, skipped] = [0, 0, 0];
for (const check of checks) {
  const ok = succeeds('npm', ['run', '--silent', check]);
  console.log(`${ok ? '✓' : '✗'} ${check}`);
  if (ok) passed += 1;
  else failed += 1;
}
for (const file of [reportFile, outputFile]) rmSync(file, { force: true });
const tested = succeeds('node_modules/.bin/vitest', [
  'run',
  ...(project ? ['--project', project] : []),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportFile}`,
]);
const report = readReport() ?? noReport();
passed += report.numPassedTests;
// A file that could not be loaded has no tests to fail; it counts as one.
failed += report.numFailedTests || (tested ? 0 : Math.max(1, report.numFailedTestSuites));
skipped += report.numPendingTests;
if (failed > 0) console.log(`\nErrors of the services that the tests started: ${outputFile}`);
console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 ? 1 : 0);

function succeeds(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}

function noReport(): Omit<Report, 'testResults'> {
  return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numFailedTestSuites: 1 };
}
