import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where `npm test` leaves what its tests did, in the form of Jest's reports, which vitest writes. */
export const reportFile = join(resolve(import.meta.dirname, '..'), '.wrangler/test-report.json');

/** Output of the services that tests start, in which they log the errors that the tests cause. */
export const outputFile = join(resolve(import.meta.dirname, '..'), '.wrangler/test-output.log');

export interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numFailedTestSuites: number;
  testResults: {
    /** Path of the test file. */
    name: string;
    /** Unix milliseconds. */
    startTime: number;
    endTime: number;
    /** `duration` in milliseconds; missing for a test that did not run. */
    assertionResults: { fullName: string; duration?: number | null }[];
  }[];
}

/** The report of the last run; undefined when there is none. */
export function readReport(): Report | undefined {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
