// What is deployed that others wrote: packages of npm, by the bundles and package-lock.json, and parts of
// WebAssembly programs and native libraries, which no package manager lists.
import { build } from 'esbuild';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundled } from './bundles.ts';
import { sourcesIn, sourcesOf } from './metafile.ts';
import { bundledModules } from './workerd.ts';

const root = resolve(import.meta.dirname, '..');

/** `worker` is what runs on Cloudflare, in both of its bundles; `converter` is a program of its own. */
export type Place = 'worker' | 'client' | 'converter';

export interface Component {
  name: string;
  version: string;
  /** SPDX expression, as its author declares it. */
  licence: string;
  /** Licence and notice files; empty if the package has none. */
  texts: string[];
  places: Place[];
}

/** The package that each WebAssembly program of the bundles comes from; none for our own. */
const packageOfProgram: Record<string, string | undefined> = {
  'blake3.wasm': 'hash-wasm',
  'sha256.wasm': 'hash-wasm',
  'gofmt.wasm': '@wasm-fmt/gofmt',
  'libmagic-wrapper.wasm': 'wasmagic',
  'squoosh_oxipng_bg.wasm': '@jsquash/oxipng',
  'codec.wasm': undefined,
};

type Part = [name: string, version: string, licence: string, file?: string];

/** Parts of codec.wasm, in the versions of its build.sh, and of gofmt.wasm; texts are in `licences/`. */
const partsOfWorker: Part[] = [
  ['mozjpeg (in codec.wasm)', '0826579', 'IJG AND BSD-3-Clause AND Zlib', 'mozjpeg'],
  ['libwebp (in codec.wasm)', '1.6.0', 'BSD-3-Clause', 'libwebp'],
  ['libpng (in codec.wasm)', '1.6.58', 'libpng-2.0', 'libpng'],
  ['zlib (in codec.wasm)', '1.3.1', 'Zlib', 'zlib'],
  ['Little CMS (in codec.wasm)', '2.19.1', 'MIT', 'little-cms'],
  ['libimagequant (in codec.wasm)', '2.4.1', 'BSD-2-Clause', 'libimagequant'],
  ['stb_image_resize2 (in codec.wasm)', '31c1ad3', 'MIT', 'stb'],
  ['Wuffs (in codec.wasm)', '0.4', 'MIT', 'wuffs'],
  ['Emscripten headers (in codec.wasm)', 'a04d0be', 'MIT', 'emscripten'],
  ['wasi-libc (in codec.wasm)', 'of Debian', 'Apache-2.0 WITH LLVM-exception AND MIT', 'wasi-libc'],
  ['Go and gofmt (in gofmt.wasm)', 'of @wasm-fmt/gofmt', 'BSD-3-Clause', 'go'],
];

const partsOfConverter: Part[] = [
  ['pandoc (in pandoc-wasm)', '3.10', 'GPL-2.0-or-later'],
  ['PDFium (in @llamaindex/liteparse)', 'of @llamaindex/liteparse', 'BSD-3-Clause AND Apache-2.0'],
];

/** Everything that is deployed, sorted by name. */
export async function components(): Promise<Component[]> {
  const places = new Map<string, Set<Place>>();
  const add = (keys: Iterable<string>, place: Place) => {
    for (const key of keys) places.set(key, (places.get(key) ?? new Set()).add(place));
  };
  for (const part of ['front', 'workshop'] as const) add(await packagesIn(part), 'worker');
  add(await packagesOfClient(), 'client');
  add(packagesOfConverter(await readLock()), 'converter');
  const packages = [...places].map(([key, found]) => packageAt(key, [...found]));
  return [
    ...packages,
    ...partsOfWorker.map((part) => partAs('worker', part)),
    ...partsOfConverter.map((part) => partAs('converter', part)),
  ].toSorted((a, b) => order(a.name, b.name) || order(a.version, b.version));
}

const order = (a: string, b: string) => Number(a > b) - Number(a < b);

/** Keys of package-lock.json for the packages in a bundle. */
async function packagesIn(part: 'front' | 'workshop'): Promise<string[]> {
  const folder = await bundled(part);
  const programs = bundledModules(folder).filter(({ kind }) => kind === 'wasm');
  const ofPrograms = programs.flatMap(({ name }) => {
    const program = name.replace(/^.*[0-9a-f]{40}-/, '');
    if (!Object.hasOwn(packageOfProgram, program)) {
      throw new Error(`scripts/third-party.ts: name the package that ${program} comes from`);
    }
    return packageOfProgram[program] ? [`node_modules/${packageOfProgram[program]}`] : [];
  });
  return [...keysOf(await sourcesIn(folder)), ...ofPrograms];
}

async function packagesOfClient(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/client.ts'],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    write: false,
    metafile: true,
  });
  return keysOf(sourcesOf(metafile));
}

function keysOf(sources: Map<string, number>): string[] {
  const key = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;
  return [...sources.keys()].flatMap((path) => key.exec(path)?.[0] ?? []);
}

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

async function readLock(): Promise<Record<string, Locked>> {
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8');
  return (JSON.parse(lock) as { packages: Record<string, Locked> }).packages;
}

/** Packages that the converter's image holds: Linux on x64 with glibc (container/Dockerfile). */
function packagesOfConverter(lock: Record<string, Locked>): Set<string> {
  const found = new Set<string>();
  const visit = (from: string) => {
    const { dependencies, optionalDependencies } = lock[from]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const key = keyFor(name, from, lock);
      if (!key || found.has(key) || !isInImage(lock[key]!)) continue;
      found.add(key);
      visit(key);
    }
  };
  visit('container');
  return found;
}

/** Where Node finds a package: in the nearest `node_modules` above the one that asks. */
function keyFor(name: string, from: string, lock: Record<string, Locked>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const key = join(folder, 'node_modules', name);
    if (lock[key]) return key;
    if (folder === '') return undefined;
  }
}

const isInImage = ({ os, cpu, libc }: Locked) =>
  (os ?? ['linux']).includes('linux') &&
  (cpu ?? ['x64']).includes('x64') &&
  (libc ?? ['glibc']).includes('glibc');

/** @param key of package-lock.json */
function packageAt(key: string, places: Place[]): Component {
  const folder = join(root, key);
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license?: string };
  return { name, version, licence: license ?? 'none declared', texts: textsIn(folder), places };
}

/** Such as LICENSE, LICENCE.md, COPYING, NOTICE.txt, libmagic.LICENSE, LICENSE.codec.md. */
const licenceFile = /^(?:.*[._-])?(?:licen[cs]es?|copying|notice)(?:[._-].*)?$/i;
const isProgram = /\.(?:[cm]?[jt]s|map|json)$/i;

function textsIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.slice(folder.length).includes('node_modules'),
    )
    .filter(({ name }) => licenceFile.test(name) && !isProgram.test(name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted(order);
  // The licences of libvips and its parts are in its README.
  if (files.length === 0 && folder.includes('sharp-libvips')) files.push(join(folder, 'README.md'));
  return [...new Set(files.map((file) => trimmed(readFileSync(file, 'utf8'))))];
}

function partAs(place: Place, [name, version, licence, file]: Part): Component {
  const texts = file ? [trimmed(readFileSync(join(root, `licences/${file}.txt`), 'utf8'))] : [];
  return { name, version, licence, texts, places: [place] };
}

const trimmed = (text: string) =>
  text
    .replace(/\r/g, '')
    .replace(/[ \t]+$/gm, '')
    .trim();
