// npm run bench [-- name …]: runs all benchmarks or the named ones, and writes their output to README.md: a
// table of all comparisons, and for each benchmark its output below the comment at the start of its file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Row } from './compare.ts';

const all = [
  'hash-call',
  'mixed',
  'hash-speed',
  'diff',
  'markdown',
  'image-memory',
  'image',
  'convert-memory',
  'converter',
  'screenshot',
  'summarize',
  'cost',
];
/** The result of the last run of a benchmark. */
interface Found {
  day: string;
  said: string;
  rows: Row[];
}

const file = join(import.meta.dirname, 'results.json');
const found = JSON.parse(await readFile(file, 'utf8')) as Record<string, Found>;
const wanted = process.argv.slice(2);
for (const name of all) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  const result = await run(name);
  if (result) found[name] = result;
}
await writeFile(file, `${JSON.stringify(found, null, 2)}\n`);
await writeFile(join(import.meta.dirname, 'README.md'), await page());

/** Runs a benchmark. Returns undefined when it fails. */
async function run(name: string): Promise<Found | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const rows: Row[] = [];
  child.on('message', (row) => rows.push(row as Row));
  child.stdout!.pipe(process.stdout);
  const [said, [code]] = await Promise.all([text(child.stdout!), once(child, 'exit')]);
  if (code === 0) return { day: new Date().toISOString().slice(0, 10), said: said.trim(), rows };
  console.error(`${name} ended with ${code}; its earlier results are kept`);
  return undefined;
}

async function page(): Promise<string> {
  const known = all.filter((name) => found[name]);
  const rows = known.flatMap((name) => found[name]!.rows);
  const sections = known.map(async (name) => {
    const { day, said } = found[name]!;
    return `## ${name}\n\n${await questionOf(name)}\n\n${day}:\n\n\`\`\`\n${said}\n\`\`\``;
  });
  return `# Benchmark results

Written by \`npm run bench\`, or by \`npm run bench -- <name> …\` for single benchmarks. The service and a named peer
are measured alternately in one run. Figures are medians, with minimum and maximum in parentheses. Last run on
${cpus().length} cores: ${cpus()[0]?.model}.

| What | Ours | Peer | Theirs | Ratio | Wanted |
| --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${Object.values(row).join(' | ')} |`).join('\n')}

${(await Promise.all(sections)).join('\n\n')}
`;
}

/** Returns the comment at the start of a benchmark. */
async function questionOf(name: string): Promise<string> {
  const source = await readFile(join(import.meta.dirname, `${name}.ts`), 'utf8');
  const [comment] = /^(?:\/\/.*\n)+/.exec(source)!;
  return comment.replace(/^\/\/ ?/gm, '').trim();
}
