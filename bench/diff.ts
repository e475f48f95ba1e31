// Is a diff over HTTP as fast as the git command? Two texts of 10,000 lines with 500 scattered changes, and
// two without common lines. Whole calls and whole commands are measured alternately.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import { compared } from './compare.ts';
import { timed } from './load.ts';
import { startBench } from './start.ts';

const lines = 10_000;
const changes = 500;

/** Pseudo-random, so that every run compares the same texts (Park and Miller's generator). */
let state = 1;
const random = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
const words = ['const', 'return', 'value', 'if', 'for', '}', '{', 'await', 'index', 'length'];
const line = () => Array.from({ length: random(8) }, () => words[random(words.length)]).join(' ');

const original = Array.from({ length: lines }, line);
const modified = [...original];
for (let i = 0; i < changes; i++) {
  const at = random(modified.length);
  const kind = random(3);
  if (kind === 0) modified[at] = line();
  else modified.splice(at, kind === 1 ? 1 : 0, ...(kind === 1 ? [] : [line()]));
}
const other = Array.from({ length: lines }, (_, i) => `line ${i}`);

const folder = mkdtempSync(join(tmpdir(), 'diff-'));
const bench = await startBench();
try {
  await compare('500 changes', original.join('\n'), modified.join('\n'));
  await compare('nothing in common', original.join('\n'), other.join('\n'));
} finally {
  bench.stop();
  rmSync(folder, { recursive: true });
}

async function compare(name: string, a: string, b: string): Promise<void> {
  writeFileSync(join(folder, 'a'), `${a}\n`);
  writeFileSync(join(folder, 'b'), `${b}\n`);
  const body = JSON.stringify({ original: `${a}\n`, modified: `${b}\n` });
  const [ours, git]: [number[], number[]] = [[], []];
  for (let i = 0; i < 50; i++) {
    const command = () => spawnSync('git', ['diff', '--no-index', 'a', 'b'], { cwd: folder });
    const theirs = await timed(command);
    const own = await timed(() => call(body));
    if (i < 20) continue;
    ours.push(own);
    git.push(theirs);
  }
  const what = `diff of 10,000 lines, ${name}`;
  compared({ what, unit: 'ms', ours, peer: 'git diff', theirs: git, wanted: '2 or less' });
  const jsdiff = await timed(() => structuredPatch('a', 'b', a, b, '', '', { timeout: 20_000 }));
  console.log(`  jsdiff takes ${jsdiff.toFixed(0)} ms`);
}

async function call(body: string) {
  const answer = await fetch(`${bench.service}/api/diff`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bench.key}` },
    body,
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
