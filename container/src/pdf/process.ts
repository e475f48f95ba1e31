// A process of the pool: PDFium and Typst are native programs, which only a process can be killed with.
import { Worker } from 'node:worker_threads';
import workerpool from 'workerpool';
import type { Files } from '../pandoc/engine.ts';
import type { Outcome } from '../pandoc/thread.ts';
import { PdfError, readPdf, type PdfContent } from './read.ts';
import { TypstError, writePdf, type Pdf } from './write.ts';

/** Bytes that the process may take; native code asks no one. */
const most = 2e9;
/** Bytes with which it makes room for a new one, when it has nothing to do. */
const worn = 6e8;

// A thread of its own, because this one does not run while native code does.
new Worker(
  `setInterval(() => process.memoryUsage.rss() > ${most} && process.kill(process.pid, 'SIGKILL'), 200)`,
  { eval: true },
).unref();

async function outcome<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { done: await work };
  } catch (error) {
    if (error instanceof PdfError || error instanceof TypstError) return { refused: error.message };
    throw error;
  } finally {
    if (process.memoryUsage.rss() > worn) setTimeout(() => process.exit(), 100);
  }
}

workerpool.worker({
  read: (bytes: Uint8Array): Promise<Outcome<PdfContent>> => outcome(readPdf(bytes)),
  write: ({ source, pictures }: { source: string; pictures: Files }): Promise<Outcome<Pdf>> =>
    outcome(writePdf(source, pictures)),
});
