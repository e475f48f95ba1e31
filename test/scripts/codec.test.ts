import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = 'src/tools/optimize-image/codec';
/** Files of the folder that do not change the program. */
const others = new Set(['README.md', 'checksums.sha256']);

it('has the checksums of its sources and of the program that was built from them', () => {
  const recorded = Object.fromEntries(
    readFileSync(join(folder, 'checksums.sha256'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2}(?:\.\/)?/).toReversed()),
  ) as Record<string, string>;
  const sources = readdirSync(folder).filter((name) => !others.has(name));
  const actual = Object.fromEntries(
    [...sources, '../codec.wasm'].map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
  // A difference means: the codec has to be built again, by npm run build:codec.
  expect(recorded).toEqual(actual);
});
