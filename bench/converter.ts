// How fast are documents converted? Compared with Debian's pandoc command on the same cores, for one page, a
// manual of 300 kB and eight concurrent callers. Also the time to convert the manual to PDF.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { startConverter } from '../scripts/service.ts';
import { compared } from './compare.ts';
import { median, timed } from './load.ts';

const page = readFileSync('README.md', 'utf8').slice(0, 3000);
// Pandoc's manual is not in this repository for licence reasons. Any Markdown of its size may be given.
const manual = process.argv[2]
  ? readFileSync(process.argv[2], 'utf8')
  : readFileSync('README.md', 'utf8').repeat(28);

if (spawnSync('pandoc', ['--version']).error) {
  console.error('there is no pandoc here: apt-get install pandoc');
  process.exit(1);
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

/** Runs the pandoc command in a new process, as a script would. */
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

async function compare(what: string, content: string, to: string, times: number, wanted: string) {
  const [mine, peer]: [number[], number[]] = [[], []];
  for (let i = 0; i < times; i++) {
    mine.push(await timed(() => ours(content, to)));
    peer.push(await timed(() => theirs(content, to)));
  }
  compared({ what, unit: 'ms', ours: mine, peer: 'pandoc', theirs: peer, wanted });
}

/** Returns the pages per second of eight concurrent callers. */
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
  // Warm-up.
  for (const to of ['html', 'docx', 'typst'])
    for (let i = 0; i < 3; i++) await ours(manual, to === 'typst' ? 'pdf' : to);
  const size = `${Math.round(manual.length / 1000)} kB`;
  for (const to of ['html', 'docx']) {
    await compare(`a page to ${to}`, page, to, 41, '1.0 or less');
    await compare(`${size} to ${to}`, manual, to, 5, '3 or less');
  }
  const toPdf: number[] = [];
  for (let i = 0; i < 5; i++) toPdf.push(await timed(() => ours(manual, 'pdf')));
  console.log(`${size} to PDF: ${median(toPdf).toFixed(0)} ms (wanted: 5,000 or less)`);
  const [mine, peer]: [number[], number[]] = [[], []];
  for (const _ of [1, 2, 3]) {
    mine.push(await throughput(ours));
    peer.push(await throughput(theirs));
  }
  const what = 'pages for eight callers at once';
  const wanted = 'more than 1';
  compared({ what, unit: 'a second', ours: mine, peer: 'pandoc', theirs: peer, wanted });
} finally {
  await converter.stop();
}
