// Runs in `npm ci`: builds dist/client.js and dist/client.d.ts, which import nothing from this package.
import { camelCase, pascalCase } from 'change-case';
import { build, type BuildOptions } from 'esbuild';
import { compile } from 'json-schema-to-typescript';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { schemaOf } from '../src/tools/schema.ts';
import type { Tool } from '../src/tools/tool.ts';

const root = resolve(import.meta.dirname, '..');
const scratch = await mkdtemp(join(root, 'node_modules/.client-'));
const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  logLevel: 'error',
};
try {
  await build({
    ...shared,
    entryPoints: ['src/client.ts'],
    outfile: 'dist/client.js',
    platform: 'neutral',
    mainFields: ['module', 'main'],
  });
  await writeFile(join(root, 'dist/client.d.ts'), `${await methods()}\n${await surface()}`);
} finally {
  await rm(scratch, { recursive: true });
}

/**
 * Returns the exported types of src/client.ts. Its imports are removed; `methods` replaces the tools' types.
 */
async function surface(): Promise<string> {
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['--project', 'tsconfig.client.json', '--outDir', scratch], { cwd: root });
  const read = async (file: string) => readFile(join(scratch, file), 'utf8');
  const client = (await read('client.d.ts')).replace(/^import .*\n/gm, '');
  const fieldError = interfaceIn(await read('errors.d.ts'), 'FieldError');
  const ignored = interfaceIn(await read('tools/methods.d.ts'), 'Ignored');
  return `${fieldError}\n${ignored}\n${client}`;
}

function interfaceIn(source: string, name: string): string {
  return new RegExp(String.raw`/\*\*[^/]*\*/\nexport interface ${name} \{[^}]*\}`).exec(source)![0];
}

/** Returns an input and an output type for each tool, with the descriptions of the fields as comments. */
async function methods(): Promise<string> {
  const { tools, schemaOf: schema } = await catalogue();
  const types: string[] = [];
  const members: string[] = [];
  for (const tool of tools) {
    const name = pascalCase(tool.name);
    types.push(await typeOf(schema(tool.input, 'input'), `${name}Input`, fieldOfFile(tool)));
    types.push(await typeOf(schema(tool.output, 'output'), `${name}Output`, fileBody(tool)));
    members.push(
      `  /** ${tool.summary}. */\n  ${camelCase(tool.name)}(input: ${name}Input, options?: Options): Promise<${name}Output & Ignored>;`,
    );
  }
  return `${types.join('\n')}\ninterface ToolMethods<Options> {\n${members.join('\n')}\n}\n`;
}

function fieldOfFile({ upload }: Tool): Record<string, string> {
  return upload ? { [upload.as]: 'string | Uint8Array<ArrayBuffer> | Blob' } : {};
}

function fileBody({ answersFile }: Tool): Record<string, string> {
  return answersFile ? { body: 'Uint8Array<ArrayBuffer>' } : {};
}

/** Converts a JSON Schema to TypeScript. @param instead types of fields that JSON Schema cannot express */
function typeOf(
  { properties, ...schema }: ReturnType<typeof schemaOf>,
  name: string,
  instead: Record<string, string>,
) {
  const fields = Object.entries(properties ?? {}).map(([field, value]) => {
    const tsType = instead[field];
    return [field, tsType ? { ...(value as object), tsType } : value];
  });
  return compile({ ...schema, properties: Object.fromEntries(fields) } as never, name, {
    additionalProperties: false,
    bannerComment: '',
  });
}

/** Bundles the tools' catalogue for Node, without its WebAssembly modules, which Node cannot import. */
async function catalogue(): Promise<{ tools: Tool[]; schemaOf: typeof schemaOf }> {
  const outfile = join(scratch, 'catalogue.mjs');
  await build({
    ...shared,
    stdin: {
      contents: "export * from './src/tools/index.ts'; export * from './src/tools/schema.ts';",
      resolveDir: root,
    },
    outfile,
    platform: 'node',
    loader: { '.wasm': 'empty' },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return import(pathToFileURL(outfile).href) as ReturnType<typeof catalogue>;
}
