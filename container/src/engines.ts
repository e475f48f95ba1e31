import { readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Order as PictureOrder } from '../../src/tools/optimize-image/job.ts';
import type { Files } from './pandoc/engine.ts';
import type { Converted, Order } from './pandoc/convert.ts';
import type { ThreadData } from './pandoc/thread.ts';
import type { PdfContent } from './pdf/read.ts';
import type { Pdf } from './pdf/write.ts';
import type { Picture } from './picture.ts';
import { createPool, type Client } from './pool.ts';

export interface Limits {
  /** For one step: reading PDF, pandoc, writing PDF, making a picture smaller. */
  seconds: number;
  /** Documents that may wait for one kind of worker. */
  queue: number;
  /** Bytes that a conversion may take in pandoc. */
  heap: number;
}

/** What converts; every method throws as Pool.run does. */
export interface Engines {
  pandoc(order: Order, client: Client): Promise<Converted>;
  readPdf(bytes: Uint8Array, client: Client): Promise<PdfContent>;
  writePdf(source: string, pictures: Files, client: Client): Promise<Pdf>;
  optimise(bytes: Uint8Array, order: PictureOrder, client: Client): Promise<Picture>;
  stop(): Promise<void>;
}

/** Documents beyond this many bytes take a lane of their own, so that small ones need not wait. */
const large = 100_000;

/** Starts the workers of this machine. */
export async function startEngines({ seconds, queue, heap }: Limits): Promise<Engines> {
  const bytes = readFileSync(
    fileURLToPath(new URL('./pandoc.wasm', import.meta.resolve('pandoc-wasm')).href),
  );
  const data: ThreadData = { program: await compile(bytes), heap };
  const cores = availableParallelism();
  const common = { minWorkers: 1, maxQueueSize: queue };
  const threads = {
    ...common,
    script: fileURLToPath(import.meta.resolve('./pandoc/thread.ts')),
    workerType: 'thread',
    workerThreadOpts: { workerData: data },
  } as const;
  const processes = {
    ...common,
    script: fileURLToPath(import.meta.resolve('./process.ts')),
    workerType: 'process',
    forkOpts: { serialization: 'advanced', env: offline() },
  } as const;
  const small = createPool({ ...threads, maxWorkers: cores }, seconds);
  const big = createPool({ ...threads, maxWorkers: Math.ceil(cores / 2) }, seconds);
  const native = createPool({ ...processes, maxWorkers: cores }, seconds);
  return {
    pandoc: (order, client) =>
      (order.document.length > large ? big : small).run('convert', order, client),
    readPdf: (bytes, client) => native.run('read', bytes, client),
    writePdf: (source, pictures, client) => native.run('write', { source, pictures }, client),
    optimise: (bytes, order, client) => native.run('optimise', { bytes, order }, client),
    stop: async () => void (await Promise.all([small, big, native].map((pool) => pool.stop()))),
  };
}

// The types are a Worker's, which may not compile.
const { compile } = WebAssembly as unknown as {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
};

/** Typst would download packages that a document names: it finds no way out, and none on the disk. */
const offline = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  TMPDIR: tmpdir(),
  HTTPS_PROXY: 'http://127.0.0.1:9',
  XDG_CACHE_HOME: '/nonexistent',
  XDG_DATA_HOME: '/nonexistent',
});
