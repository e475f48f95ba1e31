import { readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isBinary } from '../../src/shared/document-formats.ts';
import type { Order as PictureOrder } from '../../src/tools/optimize-image/job.ts';
import type { ConversionRequest, Converted } from './pandoc/request.ts';
import type { ThreadData } from './pandoc/thread.ts';
import type { PdfContent } from './pdf/read.ts';
import type { Pdf, PdfOrder } from './pdf/write.ts';
import type { Picture } from './picture.ts';
import { createPool, type Client } from './pool.ts';

export interface Limits {
  /** Time limit for one step: reading a PDF, pandoc, writing a PDF, optimizing a picture. */
  seconds: number;
  /** Largest number of calls that wait in one pool. */
  queue: number;
  /** Bytes of heap for one conversion in pandoc. */
  heap: number;
}

/** The programs that convert. Every method throws the errors of Pool.run. */
export interface Engines {
  pandoc(request: ConversionRequest, client: Client): Promise<Converted>;
  readPdf(bytes: Uint8Array, client: Client): Promise<PdfContent>;
  writePdf(order: PdfOrder, client: Client): Promise<Pdf>;
  optimise(bytes: Uint8Array, order: PictureOrder, client: Client): Promise<Picture>;
  stop(): Promise<void>;
}

/** Documents above this size have a pool of their own, so that small documents do not wait for them. */
const largeDocumentBytes = 100_000;

/** Seconds for a text, and bytes that add a second. Pandoc converts 100 kB or more in a second. */
const [leastSeconds, bytesPerSecond] = [5, 10_000];

/**
 * Returns a time limit by the size of the input. A short text that takes long is a case of exponential time in
 * pandoc, such as nested brackets, and would occupy a worker for nothing.
 */
function secondsFor({ from, document, files, to }: ConversionRequest): number {
  if (isBinary(from)) return Infinity;
  const inputs = [document, ...Object.values(files)].map(({ length }) => length);
  const bytes = inputs.reduce((sum, length) => sum + length);
  return to.length * Math.ceil(leastSeconds + bytes / bytesPerSecond);
}

/** Starts the worker pools. */
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
  const smallDocuments = createPool({ ...threads, maxWorkers: cores }, seconds);
  const largeDocuments = createPool({ ...threads, maxWorkers: Math.ceil(cores / 2) }, seconds);
  const native = createPool({ ...processes, maxWorkers: cores }, seconds);
  return {
    pandoc: (request, client) =>
      (request.document.length > largeDocumentBytes ? largeDocuments : smallDocuments).run(
        'convert',
        request,
        client,
        Math.min(seconds, secondsFor(request)),
      ),
    readPdf: (bytes, client) => native.run('read', bytes, client),
    writePdf: (order, client) => native.run('write', order, client),
    optimise: (bytes, order, client) => native.run('optimise', { bytes, order }, client),
    stop: async () => {
      const pools = [smallDocuments, largeDocuments, native];
      await Promise.all(pools.map((pool) => pool.stop()));
    },
  };
}

// The Workers types lack `compile`, because Workers may not compile WebAssembly.
const { compile } = WebAssembly as unknown as {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
};

/** Environment without network and package folders: Typst would download packages that a document names. */
const offline = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  TMPDIR: tmpdir(),
  HTTPS_PROXY: 'http://127.0.0.1:9',
  XDG_CACHE_HOME: '/nonexistent',
  XDG_DATA_HOME: '/nonexistent',
});
