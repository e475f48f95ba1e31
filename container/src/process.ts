// A process of the pool: PDFium, Typst and libvips are native programs, which only a process can be
// killed with.
import { Worker } from 'node:worker_threads';
import workerpool from 'workerpool';
import type { Files } from './pandoc/engine.ts';
import type { Outcome } from './pandoc/thread.ts';
import { PdfError, readPdf, type PdfContent } from './pdf/read.ts';
import { TypstError, writePdf, type Pdf } from './pdf/write.ts';
import { optimise, PictureError, type Picture } from './picture.ts';
import type { Order as PictureOrder } from '../../src/tools/optimize-image/job.ts';

/** Bytes that the process may take; native code asks no one. */
const most = 2e9;
/** Bytes with which it makes room for a new one, when it has nothing to do. */
const worn = 6e8;

// A thread of its own, because this one does not run while native code does. It also ends the process
// when the converter that started it has gone, which nobody else would then do.
const watch = `
  const converter = process.ppid;
  setInterval(() => {
    const isOver = process.ppid !== converter || process.memoryUsage.rss() > ${most};
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
    if (process.memoryUsage.rss() > worn) setTimeout(() => process.exit(), 100);
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
  write: ({ source, pictures }: { source: string; pictures: Files }): Promise<Outcome<Pdf>> =>
    outcome(writePdf(source, pictures)),
});
