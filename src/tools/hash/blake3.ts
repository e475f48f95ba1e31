import program from './blake3.wasm';

/** What hash-wasm's hash programs export: a buffer that is filled, then hashed. */
interface Exports {
  memory: WebAssembly.Memory;
  Hash_GetBuffer(): number;
  Hash_Init(keyLength: number): void;
  Hash_Update(length: number): void;
  Hash_Final(length: number): void;
}

/** Bytes that the program's buffer takes at a time. */
const chunk = 16 * 1024;
const digestLength = 32;

let wasm: Exports | undefined;

/** BLAKE3 digest of 32 bytes (unkeyed mode of the BLAKE3 paper, section 2). */
export function blake3(input: Uint8Array): Buffer {
  wasm ??= new WebAssembly.Instance(program).exports as unknown as Exports;
  const buffer = new Uint8Array(wasm.memory.buffer, wasm.Hash_GetBuffer(), chunk);
  wasm.Hash_Init(0);
  for (let read = 0; read < input.length; read += chunk) {
    const part = input.subarray(read, read + chunk);
    buffer.set(part);
    wasm.Hash_Update(part.length);
  }
  wasm.Hash_Final(digestLength);
  return Buffer.from(buffer.slice(0, digestLength));
}
