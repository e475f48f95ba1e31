// How much memory does a phone's photo need? WebAssembly memory and buffers for decoding and encoding 12
// megapixels, compared with @jsquash, which decodes the whole picture first. Also the growth of workerd over
// ten photos. An isolate has 128 MB in total.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { compared } from './compare.ts';
import { megabytes, startBench } from './start.ts';

// Bundlers import a .wasm file as a WebAssembly.Module. Node would instantiate it.
registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.wasm')) return next(url, context);
    const source = `import { readFileSync } from 'node:fs';
      export default new WebAssembly.Module(readFileSync(new URL(${JSON.stringify(url)})));`;
    return { format: 'module', shortCircuit: true, source };
  },
});
const { openPicture } = await import('../src/tools/optimize-image/codec.ts');

const [width, height] = [4032, 3024];
const file = new Uint8Array(
  await sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 20 },
    },
  })
    .blur(1)
    .jpeg({ quality: 80 })
    .toBuffer(),
);

/**
 * Returns the bytes of the WebAssembly memories created by `work`, plus the bytes of buffers that it returns.
 */
async function peakOf(work: () => Promise<number>): Promise<number> {
  const memories: WebAssembly.Memory[] = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      const all = Object.values(this.exports);
      memories.push(...all.filter((value) => value instanceof WebAssembly.Memory));
    }
  };
  const buffers = await work();
  WebAssembly.Instance = Instance;
  return buffers + memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}

// The format with the smallest memory first, because WebAssembly memory never shrinks.
for (const format of ['webp', 'jpeg'] as const) {
  const picture = openPicture(file);
  picture.prepare(width, height, true);
  const made = format === 'jpeg' ? picture.jpeg(85) : picture.webp(85, 4);
  const ours = file.length + picture.memory() + made.length;
  const theirs = await peakOf(() => jSquash(format));
  compared({
    what: `memory for 12 megapixels to ${format}`,
    unit: 'MB',
    ours: [ours / 1e6],
    peer: '@jsquash',
    theirs: [theirs / 1e6],
    wanted: 'none; far below 128 MB',
  });
}

await growth();

/** Measures the memory of a process after each of several photos in all formats. */
async function growth() {
  const bench = await startBench();
  const resident = () => megabytes(bench.pid);
  const send = async () => {
    const form = new FormData();
    form.set('file', new Blob([file]));
    form.set('options', '{"inline":true}');
    const headers = { Authorization: `Bearer ${bench.key}` };
    const url = `${bench.service}/api/optimize-image`;
    const answer = await fetch(url, { method: 'POST', headers, body: form });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  try {
    const before = resident();
    await send();
    const first = resident();
    for (let i = 1; i < 10; i++) await send();
    console.log(
      `workerd: ${before.toFixed(0)} MB resident, ${first.toFixed(0)} after one photo, ` +
        `${resident().toFixed(0)} after 10`,
    );
  } finally {
    bench.stop();
  }
}

/** Decodes and encodes a photo. Returns the bytes of the buffers that exist at the same time. */
async function jSquash(format: 'jpeg' | 'webp'): Promise<number> {
  const { default: decode, init } = await import('@jsquash/jpeg/decode.js');
  await init(wasm('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'));
  const image = await decode(file.buffer as ArrayBuffer);
  const encoder = await import(`@jsquash/${format}/encode.js`);
  await encoder.init(
    wasm(
      format === 'jpeg'
        ? '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'
        : '@jsquash/webp/codec/enc/webp_enc_simd.wasm',
    ),
  );
  const made = await encoder.default(image, { quality: 85 });
  return file.length + image.data.byteLength + made.byteLength;
}

function wasm(name: string): WebAssembly.Module {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(name)));
  return Reflect.construct(WebAssembly.Module, [bytes]) as WebAssembly.Module;
}
