import blake3Program from './blake3.wasm';
import sha256Program from './sha256.wasm';

/** The exports of hash-wasm's programs. The caller fills the buffer, and the program hashes it. */
interface Exports {
  memory: WebAssembly.Memory;
  Hash_GetBuffer(): number;
  Hash_Init(parameter: number): void;
  Hash_Update(length: number): void;
  Hash_Final(parameter: number): void;
}

/** Size of a program's buffer in bytes. */
const chunkBytes = 16 * 1024;
const digestLength = 32;

/** BLAKE3 digest of 32 bytes (unkeyed mode of the BLAKE3 paper, section 2). */
export const blake3 = digestBy(blake3Program, 0);

/** SHA-256 (FIPS 180-4). */
export const sha256 = digestBy(sha256Program, 256);

/**
 * Returns a hash function.
 *
 * @param parameter of the program's init: the length of a key, or the variant of SHA-2
 */
function digestBy(program: WebAssembly.Module, parameter: number) {
  let started: { wasm: Exports; buffer: Uint8Array } | undefined;
  return (input: Uint8Array): Uint8Array => {
    const { wasm, buffer } = (started ??= start(program));
    wasm.Hash_Init(parameter);
    for (let read = 0; read < input.length; read += chunkBytes) {
      const part = input.length > chunkBytes ? input.subarray(read, read + chunkBytes) : input;
      buffer.set(part);
      wasm.Hash_Update(part.length);
    }
    wasm.Hash_Final(digestLength);
    return buffer.slice(0, digestLength);
  };
}

function start(program: WebAssembly.Module) {
  const wasm = new WebAssembly.Instance(program).exports as unknown as Exports;
  return { wasm, buffer: new Uint8Array(wasm.memory.buffer, wasm.Hash_GetBuffer(), chunkBytes) };
}
