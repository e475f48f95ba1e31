import { readFileSync, writeFileSync } from 'node:fs';
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

/** The verdict on a regular expression: null if it is safe, else the parts of an input that it is slow for. */
type Verdict = { pumps: { prefix: string; pump: string }[]; suffix: string } | null;

/**
 * Verdicts by regular expression, since judging all of them takes minutes. The test judges expressions that are
 * not in this file. To judge all again and to write the file:
 *
 *     UPDATE_REGEXES=1 npx vitest run --project e2e regexes
 */
const recordFile = `${import.meta.dirname}/regexes.json`;
const isUpdate = Boolean(process.env.UPDATE_REGEXES);

function readRecord(): Map<string, Verdict> {
  if (isUpdate) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(recordFile, 'utf8')) as object));
}

/**
 * Judges a regular expression by its automaton, which is exact. The automaton of a few expressions is too
 * large, and look-around and back references have none; these are judged by random inputs.
 */
async function judge({ file, pattern, flags }: Regex): Promise<Verdict> {
  // The library supports `u`, but not `v`.
  const supported = flags.replace('v', 'u');
  let found = await check(pattern, supported, { checker: 'automaton', timeout: 300 });
  if (found.status === 'unknown') {
    // Without a timeout, so that the result does not depend on the speed of the machine.
    found = await check(pattern, supported, { checker: 'fuzz', randomSeed: 1, timeout: null });
  }
  if (found.status === 'safe') return null;
  const name = `${file}: /${pattern}/${flags}`;
  if (found.status === 'unknown') throw new Error(`${name} cannot be judged: ${found.error.kind}`);
  if (found.complexity.type !== 'polynomial') throw new Error(`${name} takes exponential time`);
  return {
    pumps: found.attack.pumps.map(({ prefix, pump }) => ({ prefix, pump })),
    suffix: found.attack.suffix,
  };
}

/** The regular expressions that are slow for some input, with the input. */
const slow: { regex: Regex; attack: string }[] = [];

it('no regular expression takes exponential time', async () => {
  const all = await regexes();
  expect(all.length).toBeGreaterThan(300);
  const record = readRecord();
  const verdicts: [string, Verdict][] = [];
  const faults: string[] = [];
  const note = async (regex: Regex) => {
    const key = `/${regex.pattern}/${regex.flags}`;
    const recorded = record.get(key);
    const verdict = recorded === undefined ? await judge(regex) : recorded;
    verdicts.push([key, verdict]);
    if (verdict) slow.push({ regex, attack: attackOf(verdict.pumps, verdict.suffix, 30_000) });
  };
  // All at once: the library distributes its work over the processors.
  await Promise.all(all.map((regex) => note(regex).catch(({ message }) => faults.push(message))));
  if (isUpdate) {
    const sorted = verdicts.toSorted(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(recordFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
  expect(faults).toEqual([]);
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
        expect(performance.now() - begun, where).toBeLessThan(30_000);
      }
    }
  }
}, 400_000);
