import { build, type Plugin } from 'esbuild';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** workerd gives an imported program as a compiled module, and has modules that Node has not. */
const asInWorkerd: Plugin = {
  name: 'as-in-workerd',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\.wasm$/ }, ({ path }) => ({
      contents: `import { readFileSync } from 'node:fs';
        export default new WebAssembly.Module(readFileSync(${JSON.stringify(path)}));`,
    }));
    onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: 'nowhere' }));
    onLoad({ filter: /.*/, namespace: 'nowhere' }, () => ({ contents: 'export {};' }));
  },
};

/** The program that runs tools, as one file for Node. Returns its folder, which is the caller's to remove. */
export async function bundle(): Promise<{ folder: string; program: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'growth-'));
  const program = join(folder, 'child.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/growth/child.ts'],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'esnext',
    minify: true,
    logLevel: 'error',
    plugins: [asInWorkerd],
    define: { __dirname: '"/"', __filename: '"/libmagic-wrapper.js"' },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return { folder, program };
}
