import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';

const root = resolve(import.meta.dirname, '..');
export const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');

/** Folder of the generated configurations. Paths in them are relative to it. */
const generated = join(root, '.wrangler/generated');

/**
 * `service` is one Worker with all tools (wrangler.toml). `front` and `workshop` are the same, split in two.
 */
export type Part = 'service' | 'front' | 'workshop';

/** The fields of wrangler.toml that the scripts use. */
export interface Config {
  name: string;
  main: string;
  compatibility_date: string;
  compatibility_flags: string[];
  vars: Record<string, string>;
  kv_namespaces: { binding: string }[];
  r2_buckets: { binding: string; bucket_name: string }[];
  browser: { binding: string };
  durable_objects: { bindings: { name: string; class_name: string }[] };
  containers: { image: string; image_build_context: string }[];
  [other: string]: unknown;
}

/** Whether the workshop reads a setting. */
export const isWorkshopVar = (name: string) => /^(?:TEXT_MODEL_|AI_GATEWAY|CONVERTER_)/.test(name);

/** Reads wrangler.toml. */
export async function readConfig(): Promise<Config> {
  const toml = await readFile(join(root, 'wrangler.toml'), 'utf8');
  return getStaticTOMLValue(parseTOML(toml)) as unknown as Config;
}

/** Derives the configuration of a part from wrangler.toml. */
async function configOf(part: Part): Promise<object> {
  const config = await readConfig();
  const { name, compatibility_date, compatibility_flags } = config;
  const workshop = `${name}-workshop`;
  if (part !== 'workshop') {
    const services = [{ binding: 'WORKSHOP', service: workshop }];
    return { ...config, main: up(config.main), ...containersUp(config), services };
  }
  const { minify, keep_names, rules, define, observability } = config;
  return {
    name: workshop,
    main: up('src/workshop.ts'),
    // No public address: only the front calls the workshop, by its service binding.
    workers_dev: false,
    compatibility_date,
    compatibility_flags,
    minify,
    keep_names,
    rules,
    define,
    observability,
    ai: { binding: 'AI' },
    // Cloudflare ends a call that needs more processor time, and the caller gets a 503.
    limits: { cpu_ms: 10_000 },
    vars: Object.fromEntries(
      Object.entries(config.vars).filter(([setting]) => isWorkshopVar(setting)),
    ),
    durable_objects: {
      bindings: [{ name: 'CONVERTERS', class_name: 'DocumentConverter', script_name: name }],
    },
  };
}

const up = (path: string) => join('../..', path);

function containersUp({ containers }: Config) {
  return {
    containers: containers.map((one) => ({
      ...one,
      image: up(one.image),
      image_build_context: up(one.image_build_context),
    })),
  };
}

/** Writes the configuration of a part and returns its path. */
export async function writeConfig(part: Part): Promise<string> {
  if (part === 'service') return join(root, 'wrangler.toml');
  await mkdir(generated, { recursive: true });
  const file = join(generated, `${part}.json`);
  await writeFile(file, JSON.stringify(await configOf(part), null, 2));
  return file;
}

/**
 * Returns the environment in which wrangler builds a part. The front is built without the workshop's modules.
 */
export const buildEnvironment = (part: Part): NodeJS.ProcessEnv => ({
  ...process.env,
  WRANGLER_SEND_METRICS: 'false',
  ...(part === 'front' && { WRANGLER_BUILD_CONDITIONS: 'front,workerd,worker,browser' }),
});

/** Name of esbuild's metafile in the folder of a bundle. */
export const metafile = 'metafile.json';

/** Writes the files that `wrangler deploy` would upload into a folder. */
export async function bundle(config: string, folder: string, env = process.env): Promise<void> {
  const args = ['deploy', '--config', config, '--dry-run', '--containers-rollout=none'];
  const run = promisify(execFile);
  const out = ['--outdir', folder, '--metafile', join(folder, metafile)];
  await run(process.execPath, [wrangler, ...args, ...out], { cwd: root, env });
}

const bundles = join(root, '.wrangler/bundles');

/**
 * Returns the folder with the bundle of a part. Builds the bundle if the sources have changed since the last
 * build.
 */
export async function bundled(part: Part): Promise<string> {
  const folder = join(bundles, `${part}-${await versionOfSources()}`);
  if (existsSync(folder)) return folder;
  await makeFolder(folder, async (draft) =>
    bundle(await writeConfig(part), draft, buildEnvironment(part)),
  );
  const old = (await readdir(bundles)).filter(
    (name) => name.startsWith(`${part}-`) && name !== basename(folder),
  );
  await Promise.all(old.map((name) => rm(join(bundles, name), { recursive: true, force: true })));
  return folder;
}

/** Creates a folder atomically: it appears when `fill` has succeeded, and nothing remains when `fill` fails. */
export async function makeFolder(folder: string, fill: (draft: string) => Promise<void>) {
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(join(dirname(folder), 'building-'));
  try {
    await fill(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have built the same folder meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/** Returns a hash of the names, times and sizes of all files from which a bundle is built. */
async function versionOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const sources = await readdir(join(root, 'src'), { recursive: true });
  const settings = ['wrangler.toml', 'package.json', 'package-lock.json', 'scripts/bundles.ts'];
  for (const path of [...sources.map((name) => `src/${name}`).toSorted(), ...settings]) {
    const { mtimeMs, size } = await stat(join(root, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
