import { format } from '@wasm-fmt/gofmt/gofmt_binding.js';
import program from '@wasm-fmt/gofmt/gofmt.wasm';
import { MiB } from '../tool.ts';
import { CodeError } from './code-error.ts';

let gofmt: WebAssembly.Exports | undefined;

/** Bytes of memory with which gofmt is kept: it never gives any back, and takes up to 256 MB in time. */
const mostKept = 16 * MiB;

/** gofmt's output for a file, or for a piece of one, which gofmt takes as well. */
export function formatGo(source: string): string {
  gofmt ??= start();
  const { memory } = gofmt as { memory: WebAssembly.Memory };
  try {
    const formatted = format(gofmt, source);
    if (memory.buffer.byteLength > mostKept) gofmt = undefined;
    return formatted;
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) {
      gofmt = undefined; // a program that has trapped is in no known state
      throw new CodeError('gofmt gave up on it: it is nested too deeply, or too long');
    }
    throw errorOf(String((error as Error)?.message ?? error));
  }
}

function start(): WebAssembly.Exports {
  const { exports } = new WebAssembly.Instance(program);
  (exports._initialize as () => void)();
  return exports;
}

/** gofmt says `3:5: expected ';', found x`, with more errors on further lines. */
function errorOf(message: string): CodeError {
  const [, line, column, reason] = /(\d+):(\d+): ([^\n]*)/.exec(message) ?? [];
  return new CodeError(
    reason ?? message,
    line === undefined ? undefined : [Number(line), Number(column)],
  );
}
