// npm run bench [-- name …]: runs the benches, or those named, and writes down what they print in
// README.md: every comparison in one table, and each bench under the question that it begins with.
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
/** What a bench found, when it last ran. */
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

/** Runs a bench; undefined when it fails, or has nothing to say here. */
async function run(name: string): Promise<Found | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const rows: Row[] = [];
  child.on('message', (row) => rows.push(row as Row));
  child.stdout!.pipe(process.stdout);
  const [said, [code]] = await Promise.all([text(child.stdout!), once(child, 'exit')]);
  if (code === 0) return { day: new Date().toISOString().slice(0, 10), said: said.trim(), rows };
  console.error(`${name} ended with ${code}; what was known of it stays`);
  return undefined;
}

async function page(): Promise<string> {
  const known = all.filter((name) => found[name]);
  const rows = known.flatMap((name) => found[name]!.rows);
  const sections = known.map(async (name) => {
    const { day, said } = found[name]!;
    return `## ${name}\n\n${await questionOf(name)}\n\n${day}:\n\n\`\`\`\n${said}\n\`\`\``;
  });
  return `# What was measured

Written by \`npm run bench\`, or \`npm run bench -- <name> …\` for some. Every ratio is against a named peer, both in
one run and in turns: medians, with the least and the most in parentheses. Last on ${cpus().length} cores:
${cpus()[0]?.model}.

| What | Ours | Peer | Theirs | Ratio | Wanted |
| --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${Object.values(row).join(' | ')} |`).join('\n')}

${(await Promise.all(sections)).join('\n\n')}
`;
}

/** The comment that a bench begins with. */
async function questionOf(name: string): Promise<string> {
  const source = await readFile(join(import.meta.dirname, `${name}.ts`), 'utf8');
  const [comment] = /^(?:\/\/.*\n)+/.exec(source)!;
  return comment.replace(/^\/\/ ?/gm, '').trim();
}
