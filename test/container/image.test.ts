import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { run } from '../../scripts/program.ts';
import { convert, fileOf } from './converter.ts';

const folder = mkdtempSync(join(tmpdir(), 'image-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Does what the COPY lines of a Dockerfile do, from the current folder into another one. */
function copyAs(dockerfile: string, target: string): void {
  for (const [, line] of readFileSync(dockerfile, 'utf8').matchAll(/^COPY (.+)$/gm)) {
    const sources = line!.split(' ');
    const to = join(target, sources.pop()!);
    for (const source of sources) {
      cpSync(source, source.endsWith('/') ? to : join(to, basename(source)), { recursive: true });
    }
  }
}

it('has all files that the converter imports', async () => {
  copyAs('container/Dockerfile', folder);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const port = await freePort();
  const secret = 'secret';
  const converter = await run('the converter', `http://127.0.0.1:${port}`, {
    command: join(folder, 'container/src/main.ts'),
    env: { HOST: '127.0.0.1', PORT: String(port), CONVERTER_SECRET: secret },
  });
  try {
    const input = { content: '# A\n\nword', from: 'markdown', to: 'pdf' };
    const reply = await convert({ url: converter.url, secret }, input);
    expect(fileOf(reply)).toMatch(/^JVBERi/); // %PDF-
  } finally {
    await converter.stop();
  }
});
