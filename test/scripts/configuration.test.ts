import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync('docs/configuration.md', 'utf8');
const documented = new Set([...page.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name));

it('docs/configuration.md lists every setting and secret of the Worker', () => {
  const types = readFileSync('src/env.d.ts', 'utf8');
  const settings = [...types.matchAll(/^ {2}([A-Z_]+)\??: string;/gm)].map(([, name]) => name);
  expect(settings.length).toBeGreaterThan(20);
  expect(settings.filter((name) => !documented.has(name))).toEqual([]);
});

it('docs/configuration.md lists every variable that npm start and the converter read', () => {
  const sources = ['scripts/start.ts', 'scripts/browser/install.ts', 'container/src/main.ts'];
  const text = sources.map((source) => readFileSync(source, 'utf8')).join('\n');
  const read = text.matchAll(/(?:process\.env\.|setting\('|wholeNumber\(')([A-Z_]+)/g);
  const names = [...new Set([...read].map(([, name]) => name))];
  expect(names).toContain('WORKSHOPS');
  const ofOthers = new Set(['PATH', 'CI', 'LD_LIBRARY_PATH']);
  expect(names.filter((name) => !documented.has(name) && !ofOthers.has(name!))).toEqual([]);
});
