// npm run sizes: prints the size of each bundle and of each library in it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundled, type Part } from './bundles.ts';
import { sourcesIn } from './metafile.ts';
import { bundledModules } from './workerd.ts';

const kB = (bytes: number) => (bytes / 1000).toFixed(0).padStart(6);

for (const part of ['front', 'workshop', 'service'] satisfies Part[]) {
  const folder = await bundled(part);
  const modules = await Promise.all(
    bundledModules(folder).map(async ({ name }) => {
      const content = await readFile(join(folder, name));
      return { name, bytes: content.length, gzipped: gzipSync(content).length };
    }),
  );
  const sum = (key: 'bytes' | 'gzipped') => modules.reduce((total, each) => total + each[key], 0);
  console.log(`${part}: ${kB(sum('bytes'))} kB, gzipped ${kB(sum('gzipped'))} kB`);
  const weights = [...(await libraries(folder)), ...modules.filter(isProgram).map(weightOf)];
  for (const [name, bytes] of weights.toSorted((a, b) => b[1] - a[1]).slice(0, 25)) {
    console.log(`  ${kB(bytes)} kB  ${name}`);
  }
}

function isProgram({ name }: { name: string }) {
  return name.endsWith('.wasm');
}

/** Returns a module's size, and its name without wrangler's digest. */
function weightOf({ name, bytes }: { name: string; bytes: number }): [string, number] {
  return [name.replace(/^[0-9a-f]{40}-/, ''), bytes];
}

/** Returns the bytes of minified JavaScript by npm package; for the service's own code by folder of src. */
async function libraries(folder: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const [path, bytes] of await sourcesIn(folder)) {
    const name = libraryOf(path);
    found.set(name, (found.get(name) ?? 0) + bytes);
  }
  return found;
}

function libraryOf(path: string): string {
  const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return library ?? /src\/[^/]+/.exec(path)?.[0] ?? path;
}
