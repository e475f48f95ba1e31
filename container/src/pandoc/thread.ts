// A thread of the pool: pandoc with its own memory, made from the program that all threads share.
import { workerData } from 'node:worker_threads';
import workerpool from 'workerpool';
import { convert, inWords, type Converted, type Order } from './convert.ts';
import { PandocError } from './engine.ts';
import { wasmPandoc } from './wasm.ts';

export interface ThreadData {
  program: WebAssembly.Module;
  /** Bytes for one conversion. */
  heap: number;
}

/** An error as data, because a class does not survive the way between threads. */
export type Outcome<T> = { done: T } | { refused: string };

const { program, heap } = workerData as ThreadData;
const pandoc = wasmPandoc(program, heap);

workerpool.worker({
  convert(order: Order): Outcome<Converted> {
    try {
      return { done: convert(pandoc, order) };
    } catch (error) {
      if (error instanceof PandocError) return { refused: inWords(error.message) };
      throw error;
    }
  },
});
