import type { Report } from './test-report.ts';

/** The `count` slowest test files and tests of a run, with their durations in milliseconds. */
export function slowest({ testResults }: Pick<Report, 'testResults'>, count: number) {
  const files = testResults.map(({ name, startTime, endTime }) => ({
    name,
    ms: endTime - startTime,
  }));
  const tests = testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName, duration }) => ({ name: fullName, file, ms: duration ?? 0 })),
  );
  const slowestOf = <T extends { ms: number }>(all: T[]) =>
    all.toSorted((a, b) => b.ms - a.ms).slice(0, count);
  return { files: slowestOf(files), tests: slowestOf(tests) };
}
