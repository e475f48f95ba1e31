// npm run bench [-- name …]: runs the benches, or those named, and writes down what they print in
// README.md, each under the question that it begins with.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const all = [
  'hash-call',
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
const readme = join(import.meta.dirname, 'README.md');
const wanted = process.argv.slice(2);
const known = await earlier();
for (const name of all) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.pipe(process.stdout);
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const day = new Date().toISOString().slice(0, 10);
  if (code === 0) known.set(name, `${day}:\n\n\`\`\`\n${said.trim()}\n\`\`\``);
  else console.error(`${name} ended with ${code}; what was known of it stays`);
}
await writeFile(readme, await page());

/** What earlier runs have written down, by name. */
async function earlier(): Promise<Map<string, string>> {
  const page = await readFile(readme, 'utf8').catch(() => '');
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [name] = section.split('\n', 1);
      return [name!, section.slice(section.search(/^\d{4}-/m)).trim()];
    }),
  );
}

async function page(): Promise<string> {
  const sections = await Promise.all(
    all
      .filter((name) => known.has(name))
      .map(async (name) => `## ${name}\n\n${await questionOf(name)}\n\n${known.get(name)}`),
  );
  return `# What was measured

Written by \`npm run bench\`, or \`npm run bench -- <name> …\` for some. Every ratio is against a named peer, both in
one run and in turns; figures in parentheses are the single rounds, or the spread. Last on ${cpus().length} cores:
${cpus()[0]?.model}.

${sections.join('\n\n')}
`;
}

/** The comment that a bench begins with. */
async function questionOf(name: string): Promise<string> {
  const source = await readFile(join(import.meta.dirname, `${name}.ts`), 'utf8');
  const [comment] = /^(?:\/\/.*\n)+/.exec(source)!;
  return comment.replace(/^\/\/ ?/gm, '').trim();
}
