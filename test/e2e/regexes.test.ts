import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { check } from 'recheck';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { post } from './call.ts';

interface Regex {
  file: string;
  pattern: string;
  flags: string;
}

/** Every regular expression that stands in our code. */
async function regexes(): Promise<Regex[]> {
  const found = new Map<string, Regex>();
  for await (const file of glob(['src/**/*.{ts,tsx}', 'container/src/**/*.ts'])) {
    if (file.endsWith('.d.ts')) continue;
    const lang = file.endsWith('x') ? 'tsx' : 'ts';
    collect(parseAst(readFileSync(file, 'utf8'), { lang }), (regex) =>
      found.set(`/${regex.pattern}/${regex.flags}`, { file, ...regex }),
    );
  }
  return [...found.values()];
}

function collect(node: unknown, note: (regex: { pattern: string; flags: string }) => void) {
  if (typeof node !== 'object' || node === null || node instanceof RegExp) return;
  if ('regex' in node) note(node.regex as Regex);
  else for (const child of Object.values(node)) collect(child, note);
}

/** What makes a regular expression slow, in about so many characters. */
function attackOf(parts: { prefix: string; pump: string }[], suffix: string, length: number) {
  const each = Math.floor(length / parts.length);
  const pumped = parts.map(
    ({ prefix, pump }) => prefix + pump.repeat(Math.ceil(each / pump.length)),
  );
  return pumped.join('') + suffix;
}

/** Those that are slow for some input, with it. */
const slow: { regex: Regex; attack: string }[] = [];

it('no regular expression takes exponential time', async () => {
  const all = await regexes();
  expect(all.length).toBeGreaterThan(300);
  for (const regex of all) {
    const { pattern, flags } = regex;
    // It knows `u`, but not yet `v`; some it cannot tell in this time.
    const options = { checker: 'automaton', timeout: 500 } as const;
    const found = await check(pattern, flags.replace('v', 'u'), options);
    if (found.status !== 'vulnerable') continue;
    expect(found.complexity.type, `${regex.file}: /${pattern}/${flags}`).toBe('polynomial');
    slow.push({ regex, attack: attackOf(found.attack.pumps, found.attack.suffix, 30_000) });
  }
  expect(slow.length).toBeGreaterThan(0);
}, 300_000);

/** The fields of a tool that take text, with an example around them. */
function textFields(tool: Tool): [string, Record<string, unknown>][] {
  const input = tool.examples[0]!.input as Record<string, unknown>;
  const shape = Object.keys(tool.input.shape);
  return shape
    .filter((field) => typeof input[field] === 'string')
    .map((field) => [field, input] as [string, Record<string, unknown>]);
}

it('no tool hangs on the slowest input of any regular expression', async () => {
  for (const tool of tools as readonly Tool[]) {
    if (tool.credits > 1 && tool.name !== 'summarize' && tool.name !== 'rewrite') continue;
    for (const [field, input] of textFields(tool)) {
      for (const { regex, attack } of slow) {
        const begun = performance.now();
        const { status } = await post(tool.name, { ...input, [field]: attack });
        const where = `${tool.name}.${field} by ${regex.file}: /${regex.pattern}/`;
        expect([200, 400, 413, 422, 503], where).toContain(status);
        expect(performance.now() - begun, where).toBeLessThan(10_000);
      }
    }
  }
}, 400_000);
