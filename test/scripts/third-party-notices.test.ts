import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { notices } from '../../scripts/notices.ts';
import { components, type Component } from '../../scripts/third-party.ts';

// The converter's image is Linux on x64, and only there npm installs its native packages.
describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('third parties', () => {
  let all: Component[];
  beforeAll(async () => {
    all = await components();
  }, 120_000);

  it('are listed in THIRD_PARTY_NOTICES as they are deployed now', () => {
    const isCurrent = readFileSync('THIRD_PARTY_NOTICES', 'utf8') === notices(all);
    expect(isCurrent, 'run: npm run notices').toBe(true);
  });

  it('have permissive licences in the Worker and the client', () => {
    const permissive =
      /^(?:MIT|ISC|IJG|Zlib|libpng-2\.0|BSD-[23]-Clause|Apache-2\.0(?: WITH LLVM-exception)?)$/;
    const isPermissive = ({ licence }: Component) =>
      licence.split(/ AND | OR /).every((each) => permissive.test(each));
    const deployed = all.filter(({ places }) => places.some((place) => place !== 'converter'));
    expect(deployed.length).toBeGreaterThan(50);
    expect(deployed.filter((component) => !isPermissive(component))).toEqual([]);
    const others = all.filter((component) => !isPermissive(component)).map(({ name }) => name);
    expect(others).toContain('pandoc-wasm');
  });

  it('come with the licence texts of what is inside of WebAssembly programs', () => {
    const inside = all.filter(({ name }) => name.includes('.wasm)'));
    expect(inside.length).toBeGreaterThan(8);
    expect(inside.filter(({ texts }) => texts.join('').length < 500)).toEqual([]);
  });
});
