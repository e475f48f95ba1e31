// A worker process of the pool. PDFium, Typst and libvips are native code, which can be stopped only by
// killing its process.
import { Worker } from 'node:worker_threads';
import workerpool from 'workerpool';
import type { Outcome } from './pandoc/thread.ts';
import { PdfError, readPdf, type PdfContent } from './pdf/read.ts';
import { TypstError, writePdf, type Pdf, type PdfOrder } from './pdf/write.ts';
import { optimise, PictureError, type Picture } from './picture.ts';
import type { Order as PictureOrder } from '../../src/tools/optimize-image/job.ts';

/** Bytes of memory at which the process is killed; native code has no limit of its own. */
const maxMemoryBytes = 2e9;
/** Bytes of memory above which the process is replaced after its current work. */
const recycleMemoryBytes = 6e8;

// Watches memory in a thread of its own, because the main thread is blocked while native code runs. The
// thread also ends the process when its parent, the converter, has ended.
const watch = `
  const converter = process.ppid;
  setInterval(() => {
    const isOver = process.ppid !== converter || process.memoryUsage.rss() > ${maxMemoryBytes};
    if (isOver) process.kill(process.pid, 'SIGKILL');
  }, 200);
`;
new Worker(watch, { eval: true }).unref();

async function outcome<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { done: await work };
  } catch (error) {
    const ours = [PdfError, TypstError, PictureError].some((kind) => error instanceof kind);
    if (ours) return { refused: (error as Error).message };
    throw error;
  } finally {
    if (process.memoryUsage.rss() > recycleMemoryBytes) setTimeout(() => process.exit(), 100);
  }
}

workerpool.worker({
  optimise: ({
    bytes,
    order,
  }: {
    bytes: Uint8Array;
    order: PictureOrder;
  }): Promise<Outcome<Picture>> => outcome(optimise(bytes, order)),
  read: (bytes: Uint8Array): Promise<Outcome<PdfContent>> => outcome(readPdf(bytes)),
  write: (order: PdfOrder): Promise<Outcome<Pdf>> => outcome(writePdf(order)),
});
