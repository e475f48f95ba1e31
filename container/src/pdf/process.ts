// A process of the pool: PDFium and Typst are native programs, which only a process can be killed with.
import workerpool from 'workerpool';
import type { Files } from '../pandoc/engine.ts';
import type { Outcome } from '../pandoc/thread.ts';
import { PdfError, readPdf, type PdfContent } from './read.ts';
import { TypstError, writePdf, type Pdf } from './write.ts';

async function outcome<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { done: await work };
  } catch (error) {
    if (error instanceof PdfError || error instanceof TypstError) return { refused: error.message };
    throw error;
  }
}

workerpool.worker({
  read: (bytes: Uint8Array): Promise<Outcome<PdfContent>> => outcome(readPdf(bytes)),
  write: ({ source, pictures }: { source: string; pictures: Files }): Promise<Outcome<Pdf>> =>
    outcome(writePdf(source, pictures)),
});
