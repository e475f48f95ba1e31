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

/** Returns all regular expressions in the code of the service. */
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

/** Returns a text of about `length` characters for which a regular expression is slow. */
function attackOf(parts: { prefix: string; pump: string }[], suffix: string, length: number) {
  const each = Math.floor(length / parts.length);
  const pumped = parts.map(
    ({ prefix, pump }) => prefix + pump.repeat(Math.ceil(each / pump.length)),
  );
  return pumped.join('') + suffix;
}

/** The regular expressions that are slow for some input, with the input. */
const slow: { regex: Regex; attack: string }[] = [];

/**
 * Judges a regular expression by its automaton, which is exact. The automaton of a few expressions is too
 * large, and look-around and back references have none; these are judged by random inputs.
 */
async function judge({ pattern, flags }: Regex) {
  // The library supports `u`, but not `v`.
  const supported = flags.replace('v', 'u');
  const exact = await check(pattern, supported, { checker: 'automaton', timeout: 300 });
  if (exact.status !== 'unknown') return exact;
  // Without a timeout, so that the result does not depend on the speed of the machine.
  return check(pattern, supported, { checker: 'fuzz', randomSeed: 1, timeout: null });
}

it('no regular expression takes exponential time', async () => {
  const all = await regexes();
  expect(all.length).toBeGreaterThan(300);
  const notJudged: string[] = [];
  // All at once: the library distributes its work over the processors.
  const judged = await Promise.all(
    all.map(async (regex) => ({ regex, found: await judge(regex) })),
  );
  for (const { regex, found } of judged) {
    const name = `${regex.file}: /${regex.pattern}/${regex.flags}`;
    if (found.status === 'unknown') notJudged.push(`${name} (${found.error.kind})`);
    if (found.status !== 'vulnerable') continue;
    expect(found.complexity.type, name).toBe('polynomial');
    slow.push({ regex, attack: attackOf(found.attack.pumps, found.attack.suffix, 30_000) });
  }
  expect(notJudged).toEqual([]);
  expect(slow.length).toBeGreaterThan(0);
}, 600_000);

/** Returns the text fields of a tool, each with an example input. */
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
