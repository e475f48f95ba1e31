// How fast are documents converted? Beside the pandoc command (Debian's) on the same cores: a page, a
// 300 kB manual, and eight callers at once; and how long the manual takes to PDF.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { startConverter } from '../scripts/service.ts';
import { median, timed } from './load.ts';

const page = readFileSync('README.md', 'utf8').slice(0, 3000);
// Documents of pandoc's own are not ours to keep: any Markdown of that size will do.
const manual = process.argv[2]
  ? readFileSync(process.argv[2], 'utf8')
  : readFileSync('README.md', 'utf8').repeat(28);

if (spawnSync('pandoc', ['--version']).error) {
  console.log('converter: skipped, for there is no pandoc here: apt-get install pandoc');
  process.exit();
}
const converter = await startConverter();

async function ours(content: string, to: string): Promise<void> {
  const answer = await fetch(`${converter.url}/convert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${converter.secret}` },
    body: JSON.stringify({ content, from: 'markdown', to }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** The command, started anew as a script would. */
async function theirs(content: string, to: string): Promise<void> {
  const child = spawn(
    'pandoc',
    ['-f', 'markdown', '-t', to, '-o', to === 'docx' ? '/dev/null' : '-'],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  child.stdin.end(content);
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`pandoc ended with ${code}`);
}

/** Medians in milliseconds of both, turn by turn. */
async function compared(content: string, to: string, times: number): Promise<[number, number]> {
  const [a, b]: [number[], number[]] = [[], []];
  for (let i = 0; i < times; i++) {
    a.push(await timed(() => ours(content, to)));
    b.push(await timed(() => theirs(content, to)));
  }
  return [median(a), median(b)];
}

function report(what: string, [mine, peer]: [number, number]) {
  console.log(
    `${what}: ${mine.toFixed(0)} ms, pandoc ${peer.toFixed(0)} ms: ${(mine / peer).toFixed(2)} of its time`,
  );
}

/** Pages a second of eight callers, each with its next page as soon as it has one. */
async function throughput(convert: typeof ours, seconds = 5): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const caller = async () => {
    while (performance.now() < end) {
      await convert(page, 'html');
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  return done / seconds;
}

try {
  // What a converter that has been up for a minute has behind it.
  for (const to of ['html', 'docx', 'typst'])
    for (let i = 0; i < 3; i++) await ours(manual, to === 'typst' ? 'pdf' : to);
  for (const to of ['html', 'docx']) {
    report(`a page to ${to}`, await compared(page, to, 41));
    report(`${Math.round(manual.length / 1000)} kB to ${to}`, await compared(manual, to, 5));
  }
  const toPdf: number[] = [];
  for (let i = 0; i < 5; i++) toPdf.push(await timed(() => ours(manual, 'pdf')));
  console.log(`${Math.round(manual.length / 1000)} kB to PDF: ${median(toPdf).toFixed(0)} ms`);
  const [mine, peer] = [await throughput(ours), await throughput(theirs)];
  console.log(
    `8 callers: ${mine.toFixed(0)} pages a second, pandoc ${peer.toFixed(0)}: ${(mine / peer).toFixed(1)} times as many`,
  );
} finally {
  await converter.stop();
}
