// npm run test:slow: the slowest test files and tests of the last run of npm test or npm run test:<project>.
import { relative } from 'node:path';
import { slowest } from './slowest.ts';
import { readReport } from './test-report.ts';

const report = readReport();
if (!report) {
  console.error('there is no report of a test run; run npm test first');
  process.exit(1);
}
const { files, tests } = slowest(report, 15);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(7)} s`;
console.log('Test files:');
for (const { name, ms } of files) console.log(`${seconds(ms)}  ${relative('.', name)}`);
console.log('Tests:');
for (const { name, file, ms } of tests) {
  console.log(`${seconds(ms)}  ${name} (${relative('.', file)})`);
}
