// @ts-expect-error The package types what an instance exports; bundlers hand out the module.
import program from '@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm';

/** wasm-bindgen's face of the program. */
interface Exports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  __wbindgen_add_to_stack_pointer(bytes: number): number;
  __wbindgen_malloc(size: number, alignment: number): number;
  optimise(
    result: number,
    data: number,
    size: number,
    level: number,
    interlace: boolean,
    alpha: boolean,
  ): void;
}

/**
 * The same pixels in fewer bytes; chunks stay. The package's own wrapper keeps one program for good:
 * its memory would never be given back, and after one trap nothing would work.
 *
 * @param level of oxipng, 0 to 6: 2 tries more filters than 1, for twice the time and memory
 */
export function optimisePng(png: Uint8Array, level: number): Uint8Array {
  const wbg = {
    __wbindgen_throw() {
      throw new WebAssembly.RuntimeError('oxipng failed');
    },
  };
  const oxipng = new WebAssembly.Instance(program as WebAssembly.Module, { wbg })
    .exports as Exports;
  const result = oxipng.__wbindgen_add_to_stack_pointer(-16);
  const data = oxipng.__wbindgen_malloc(png.length, 1);
  new Uint8Array(oxipng.memory.buffer).set(png, data);
  oxipng.optimise(result, data, png.length, level, false, false);
  const [at, size] = new Int32Array(oxipng.memory.buffer, result, 2) as Int32Array & {
    0: number;
    1: number;
  };
  return new Uint8Array(oxipng.memory.buffer, at, size).slice();
}
