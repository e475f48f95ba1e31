import { expect, it } from 'vitest';
import { slowest } from '../../scripts/slowest.ts';

it('lists the slowest files and tests first', () => {
  const testResults = [
    {
      name: 'quick.test.ts',
      startTime: 1000,
      endTime: 1100,
      assertionResults: [
        { fullName: 'a', duration: 60 },
        { fullName: 'skipped', duration: null },
      ],
    },
    {
      name: 'slow.test.ts',
      startTime: 1000,
      endTime: 3000,
      assertionResults: [
        { fullName: 'b', duration: 1900 },
        { fullName: 'c', duration: 40 },
      ],
    },
  ];
  expect(slowest({ testResults }, 2)).toEqual({
    files: [
      { name: 'slow.test.ts', ms: 2000 },
      { name: 'quick.test.ts', ms: 100 },
    ],
    tests: [
      { name: 'b', file: 'slow.test.ts', ms: 1900 },
      { name: 'a', file: 'quick.test.ts', ms: 60 },
    ],
  });
});
