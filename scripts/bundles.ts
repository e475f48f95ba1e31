import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';

const root = resolve(import.meta.dirname, '..');
export const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');

/** Folder of generated configurations; their paths lead out of it. */
const generated = join(root, '.wrangler/generated');

/** `service` is all in one Worker, as wrangler.toml has it; `front` and `workshop` are its two parts. */
export type Part = 'service' | 'front' | 'workshop';

/** What of wrangler.toml matters here. */
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

/** Settings that the workshop reads. */
export const isWorkshopVar = (name: string) => /^(?:TEXT_MODEL_|AI_GATEWAY|CONVERTER_)/.test(name);

export async function readConfig(): Promise<Config> {
  const toml = await readFile(join(root, 'wrangler.toml'), 'utf8');
  return getStaticTOMLValue(parseTOML(toml)) as unknown as Config;
}

/** The configuration of a part, made from wrangler.toml. */
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
    // Only the front calls it, by its binding.
    workers_dev: false,
    compatibility_date,
    compatibility_flags,
    minify,
    keep_names,
    rules,
    define,
    observability,
    ai: { binding: 'AI' },
    // A tool that computes for longer is ended, and its caller gets a 503.
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

/** What wrangler needs to build a part: a front is built without the modules of the workshop. */
export const buildEnvironment = (part: Part): NodeJS.ProcessEnv => ({
  ...process.env,
  WRANGLER_SEND_METRICS: 'false',
  ...(part === 'front' && { WRANGLER_BUILD_CONDITIONS: 'front,workerd,worker,browser' }),
});

/** In a bundle's folder: what esbuild says of the modules in it. */
export const metafile = 'metafile.json';

/** Writes what `wrangler deploy` would upload by a configuration into a folder. */
export async function bundle(config: string, folder: string, env = process.env): Promise<void> {
  const args = ['deploy', '--config', config, '--dry-run', '--containers-rollout=none'];
  const run = promisify(execFile);
  const out = ['--outdir', folder, '--metafile', join(folder, metafile)];
  await run(process.execPath, [wrangler, ...args, ...out], { cwd: root, env });
}

const bundles = join(root, '.wrangler/bundles');

/** The folder with the bundle of a part, built when its sources have changed since. */
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

/** Makes a folder in one step: it is there when it has been filled, and nothing is left when that fails. */
export async function makeFolder(folder: string, fill: (draft: string) => Promise<void>) {
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(join(dirname(folder), 'building-'));
  try {
    await fill(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Whoever built at the same time has built the same.
    if (!existsSync(folder)) throw error;
  }
}

/** Changes with every file that a bundle is made of. */
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
