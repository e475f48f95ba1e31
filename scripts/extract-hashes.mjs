// Extracts WebAssembly modules from hash-wasm, which has them as base64 and compiles them at run time. workerd
// forbids compiling at run time and accepts only .wasm files that are part of the Worker.
// Runs after `npm ci` on any supported version of Node, so this file is JavaScript and not TypeScript.
import { writeFile } from 'node:fs/promises';
import { createBLAKE3, createSHA256 } from 'hash-wasm';

const compile = WebAssembly.compile;
for (const [name, create] of Object.entries({ blake3: createBLAKE3, sha256: createSHA256 })) {
  let program;
  WebAssembly.compile = (bytes) => {
    program = new Uint8Array(bytes);
    return compile(bytes);
  };
  await create();
  if (!program) throw new Error(`hash-wasm no longer compiles ${name} with WebAssembly.compile`);
  await writeFile(new URL(`../src/tools/hash/${name}.wasm`, import.meta.url), program);
}
