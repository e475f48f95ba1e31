import { execFileSync, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { blake3 } from 'hash-wasm';
import { format } from 'prettier';
import { describe, expect, it, type TestContext } from 'vitest';
import { call, service } from './call.ts';
import { print } from '../print.ts';

/*
 * What others say of our answers: shells, git, SQLite, Prettier, file(1). Programs that this
 * machine lacks are skipped, saying so.
 */

function need(program: string, context: TestContext) {
  if (spawnSync(program, ['--version']).error) skip(`${program} is not installed`, context);
}

function skip(why: string, context: TestContext) {
  print(`skipped "${context.task.name}": ${why}`);
  context.skip(why);
}

const marks = fc.constantFrom(...'\'"\\$`!&|;<>()[]{}*?~#%=,./:@^+- \t\n\raé€😀');
const texts = fc.sample(fc.string({ unit: marks, maxLength: 30 }), { numRuns: 150, seed: 1 });

const escaped = async (context: string, input: string) =>
  (await call<{ output: string }>('escape', { input, context, action: 'escape' })).output;

describe('escape', () => {
  it('is read by a shell as the text it was', async () => {
    for (const text of texts) {
      const word = await escaped('shell', text);
      expect(execFileSync('sh', ['-c', `printf %s ${word}`]).toString()).toBe(text);
    }
  });

  it('is read by SQLite as the text it was', async (context) => {
    need('sqlite3', context);
    for (const text of texts) {
      const query = `SELECT hex('${await escaped('sql', text)}')`;
      const read = execFileSync('sqlite3', [':memory:', query]).toString().trim();
      expect(Buffer.from(read, 'hex').toString()).toBe(text);
    }
  });

  it('is read by an XML parser as the text it was', async (context) => {
    need('xmllint', context);
    for (const text of texts) {
      const document = `<a>${await escaped('xml', text)}</a>`;
      const read = execFileSync('xmllint', ['--xpath', 'string(/a)', '-'], { input: document });
      expect(read.toString().slice(0, -1)).toBe(text); // xmllint ends with a line feed
    }
  });
});

describe('diff', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', '', '  c', 'd\r', '}'), { maxLength: 25 });
  const pairs = fc.sample(fc.tuple(lines, lines, fc.boolean(), fc.nat(4)), {
    numRuns: 60,
    seed: 1,
  });

  it.for([
    ['git', 'apply', '-p0', '--unidiff-zero', '--whitespace=nowarn', '-'],
    ['patch', '--binary', '--batch', '-s', 'original'],
  ])('is taken by %s', async ([program, ...args], context) => {
    need(program!, context);
    const folder = mkdtempSync(join(tmpdir(), 'patch-'));
    const file = join(folder, 'original');
    for (const [a, b, ended, context_lines] of pairs) {
      const text = (items: string[]) => items.join('\n') + (ended && items.length > 0 ? '\n' : '');
      const [original, modified] = [text(a), text(b)];
      if (original === modified) continue;
      const answer = await call<{ diff: string }>('diff', { original, modified, context_lines });
      const patch = answer.diff.replace('+++ modified', '+++ original');
      writeFileSync(file, original);
      execFileSync(program!, args, { cwd: folder, input: patch });
      expect(readFileSync(file, { encoding: 'utf8', flag: 'a+' })).toBe(modified);
    }
    rmSync(folder, { recursive: true });
  });

  it('is at most slightly longer than git’s', async (context) => {
    need('git', context);
    const folder = mkdtempSync(join(tmpdir(), 'diff-'));
    const sources = filesBelow('src', 100);
    let [ours, theirs] = [0, 0];
    for (const [i, name] of sources.entries()) {
      const [original, modified] = [name, sources[(i + 1) % sources.length]!].map((file) =>
        readFileSync(file, 'utf8'),
      );
      const { stats } = await call<{ stats: { additions: number; deletions: number } }>('diff', {
        original,
        modified,
      });
      writeFileSync(join(folder, 'a'), original!);
      writeFileSync(join(folder, 'b'), modified!);
      const { stdout } = spawnSync('git', ['diff', '--no-index', '--numstat', 'a', 'b'], {
        cwd: folder,
      });
      const [added, deleted] = String(stdout).split('\t').map(Number);
      ours += stats.additions + stats.deletions;
      theirs += added! + deleted!;
    }
    rmSync(folder, { recursive: true });
    expect(ours).toBeLessThanOrEqual(theirs * 1.05);
  });
});

it('formats the sources of this repository as the prettier command does', async () => {
  for (const name of [...filesBelow('src', 40), 'package.json', '.prettierrc.json']) {
    const code = readFileSync(name, 'utf8');
    const filepath = basename(name);
    const { files } = await call<{ files: Record<string, string> }>('format-code', {
      language: name.endsWith('json') ? 'json' : 'ts',
      files: { [filepath]: code },
    });
    expect(files[filepath]).toBe(await format(code, { filepath, useTabs: true }));
  }
});

it('formats Go as gofmt does', async (context) => {
  need('go', context);
  const root = execFileSync('go', ['env', 'GOROOT']).toString().trim();
  const sources = filesBelow(`${root}/src/strings/`, 20, '*.go');
  expect(sources.length).toBeGreaterThan(0);
  for (const name of sources) {
    const code = readFileSync(name, 'utf8').replaceAll('\t', '  ');
    const { formatted } = await call<{ formatted: string }>('format-code', {
      language: 'go',
      code,
    });
    expect(formatted).toBe(execFileSync('gofmt', { input: code }).toString());
  }
});

it('hashes as OpenSSL and hash-wasm do', async () => {
  for (const input of texts.slice(0, 40)) {
    for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
      const { hash } = await call<{ hash: string }>('hash', { input, algorithm });
      expect(hash).toBe(createHash(algorithm).update(input).digest('hex'));
    }
    expect((await call<{ hash: string }>('hash', { input, algorithm: 'blake3' })).hash).toBe(
      await blake3(input),
    );
  }
});

it('detects 19 of 20 files of this system as file(1) does', async (context) => {
  need('file', context);
  if (!existsSync('/etc/debian_version')) skip('this is no Debian system', context);
  const { url, key } = service;
  const files = ['/usr/bin', '/usr/lib', '/usr/share', '/etc']
    .flatMap((folder) => filesBelow(folder, 100, '*'))
    .filter((name) => !name.endsWith('.go')); // libmagic has no type for Go
  let agreed = 0;
  const expected = execFileSync('file', ['-b', '--mime-type', ...files])
    .toString()
    .split('\n');
  for (const [i, name] of files.entries()) {
    const form = new FormData();
    form.set('file', new File([readFileSync(name)], 'file'));
    const answer = await fetch(`${url}/api/detect-file/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    const { mime_type } = (await answer.json()) as { mime_type: string };
    if (mime_type === expected[i]) agreed += 1;
  }
  print(`detect-file and file(1) agree on ${agreed} of ${files.length} files`);
  expect(agreed / files.length).toBeGreaterThanOrEqual(0.95);
});

/** Some files below a folder, evenly spread over all that may be read; none of over 2 MB. */
function filesBelow(folder: string, count: number, name = '*.ts'): string[] {
  const tests = ['-type', 'f', '-size', '-2M', '-name', name, '-not', '-path', '*/node_modules/*'];
  // Its status is not asked: find fails when a folder is shut to us, and lists the rest.
  const { stdout } = spawnSync('find', [folder, ...tests], {
    maxBuffer: 2 ** 28,
    encoding: 'utf8',
  });
  const all = stdout.split('\n').filter(isReadable).toSorted();
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[Math.floor(i * step)]!);
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
