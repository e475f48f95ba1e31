// Takes the BLAKE3 program out of hash-wasm, which carries it as base64 and compiles it while it
// runs: workerd forbids that, but takes a .wasm file that is part of the Worker.
// Runs after `npm ci`, on whatever Node npm has, so this is plain JavaScript.
import { writeFile } from 'node:fs/promises';
import { createBLAKE3 } from 'hash-wasm';

const target = new URL('../src/tools/hash/blake3.wasm', import.meta.url);
const compile = WebAssembly.compile;
let program;
WebAssembly.compile = (bytes) => {
  program = new Uint8Array(bytes);
  return compile(bytes);
};
await createBLAKE3();
if (!program) throw new Error('hash-wasm no longer compiles its BLAKE3 with WebAssembly.compile');
await writeFile(target, program);
