// How much memory does the Worker need for a Word document of 50 MB? Resident memory of workerd during the
// upload, compared with its memory at rest: for an upload alone, and for an upload with a result in storage.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackTar } from 'modern-tar';
import { startConverter } from '../scripts/service.ts';
import { megabytes, startBench } from './start.ts';

const folder = mkdtempSync(join(tmpdir(), 'convert-'));
const converter = await startConverter();
const bench = await startBench({
  CONVERTER_URL: converter.url,
  CONVERTER_SECRET: converter.secret,
});

/** Creates a Word document that consists almost entirely of one picture. */
async function bigDocx(): Promise<Uint8Array> {
  const files = { 'a.png': randomBytes(49_500_000).toString('base64') };
  const answer = await fetch(`${converter.url}/convert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${converter.secret}` },
    body: JSON.stringify({ content: '![](a.png)', from: 'markdown', to: 'docx', files }),
  });
  const [, file] = await unpackTar(new Uint8Array(await answer.arrayBuffer()));
  return file!.data!;
}

/** Returns the peak memory of workerd while curl waits for the answer. */
async function peak(...args: string[]): Promise<number> {
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, megabytes(bench.pid))), 5);
  // The key is passed on standard input, because other users can read arguments.
  const curl = spawn('curl', ['-sf', '-H', '@-', ...args], { stdio: ['pipe', 'ignore', 'ignore'] });
  curl.stdin.end(`Authorization: Bearer ${bench.key}\n`);
  const [code] = (await once(curl, 'exit')) as [number];
  clearInterval(watch);
  if (code !== 0) throw new Error(`curl ended with ${code}`);
  return most;
}

try {
  const docx = await bigDocx();
  writeFileSync(join(folder, 'a.docx'), docx);
  const rest = megabytes(bench.pid);
  for (const to of ['markdown', 'odt']) {
    const content = Buffer.from(docx).toString('base64');
    writeFileSync(join(folder, 'a.json'), JSON.stringify({ content, from: 'docx', to }));
    const url = `${bench.service}/api/convert-document`;
    const form = ['-F', `file=@${folder}/a.docx`, '-F', `options={"to":"${to}"}`, url];
    const json = ['-H', 'Content-Type: application/json', '--data-binary', `@${folder}/a.json`];
    for (const [name, args] of Object.entries({ form, JSON: [...json, `${url}/json`] })) {
      const most = await peak(...args);
      console.log(
        `${(docx.length / 1e6).toFixed(0)} MB of docx as ${name} to ${to}: workerd at ` +
          `${rest.toFixed(0)} MB at rest, ${most.toFixed(0)} at most: ${(most - rest).toFixed(0)} MB more`,
      );
    }
  }
} finally {
  bench.stop();
  await converter.stop();
  rmSync(folder, { recursive: true });
}
