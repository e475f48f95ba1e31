// A worker thread of the pool. Each thread has its own instance of pandoc; all share the compiled module.
import { workerData } from 'node:worker_threads';
import workerpool from 'workerpool';
import { convert } from './convert.ts';
import { PandocError } from './engine.ts';
import type { Converted, ConversionRequest } from './request.ts';
import { inWords } from './warnings.ts';
import { wasmPandoc } from './wasm.ts';

export interface ThreadData {
  program: WebAssembly.Module;
  /** Bytes of heap for one conversion. */
  heap: number;
}

/** The result of a conversion, or the message of its error. Error classes are lost between threads. */
export type Outcome<T> = { done: T } | { refused: string };

const { program, heap } = workerData as ThreadData;
const pandoc = wasmPandoc(program, heap);

workerpool.worker({
  convert(request: ConversionRequest): Outcome<Converted> {
    try {
      return { done: convert(pandoc, request) };
    } catch (error) {
      if (error instanceof PandocError) return { refused: inWords(error.message) };
      throw error;
    }
  },
});
