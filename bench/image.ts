// How small are optimized pictures, and how fast is the optimization, compared with sharp (libvips) on one
// core? Calls of the deployed tool in workerd, and sharp with the same quality, for the pictures of a folder.
//
// Usage: node bench/image.ts [FOLDER]   (the backgrounds of a Debian desktop by default)
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import sharp from 'sharp';
import { ssim } from 'ssim.js';
import { compared } from './compare.ts';
import { median, timed } from './load.ts';
import { startBench } from './start.ts';

type Format = 'png' | 'jpeg' | 'webp';

const quality = 85;
const rounds = 3;
const limit = 10 * 1024 * 1024;
sharp.concurrency(1);
sharp.cache(false);

const folder = process.argv[2] ?? '/usr/share/backgrounds';
const files = globSync(`${folder}/**/*.{png,jpg,jpeg,webp}`).filter(
  (file) => readFileSync(file).length <= limit,
);
if (files.length === 0)
  throw new Error(`no pictures in ${folder}: apt-get install mate-backgrounds, or name another`);

const bench = await startBench();
try {
  for (const format of ['jpeg', 'webp'] as const) await compare(format);
  await compareAuto();
} finally {
  bench.stop();
}

async function compare(format: Format) {
  const sizes: [ours: number[], theirs: number[]] = [[], []];
  const times: [ours: number[], theirs: number[]] = [[], []];
  for (const file of files) {
    const picture = readFileSync(file);
    const ours = await optimise(picture, format);
    if (!ours) continue;
    const time = { ours: [ours.time], sharp: [] as number[] };
    for (let i = 0; i < rounds; i++) {
      time.sharp.push(await timed(() => encode(picture, format, quality)));
      time.ours.push((await optimise(picture, format))!.time);
    }
    const size = await sizeAtSsim(picture, format, ours.bytes);
    sizes[0].push(ours.bytes.length / 1000);
    sizes[1].push(size / 1000);
    times[0].push(median(time.ours));
    times[1].push(median(time.sharp));
    noted(`${format} ${basename(file)}`, ours.bytes.length / size);
  }
  const from = `${sizes[0].length} pictures to ${format}`;
  report(`${from}, size at equal SSIM`, 'kB', sizes, '1.0 or less');
  report(`${from}, time`, 'ms', times, '2.5 or less');
}

async function compareAuto() {
  const sizes: [ours: number[], theirs: number[]] = [[], []];
  for (const file of files) {
    const picture = readFileSync(file);
    const ours = await optimise(picture, 'auto');
    if (!ours) continue;
    const { isOpaque } = await sharp(picture).stats();
    const formats: Format[] = isOpaque ? ['png', 'jpeg', 'webp'] : ['png', 'webp'];
    const theirs = await Promise.all(formats.map((format) => encode(picture, format, quality)));
    const best = Math.min(...theirs.map(({ length }) => length));
    sizes[0].push(ours.bytes.length / 1000);
    sizes[1].push(best / 1000);
    noted(`auto ${basename(file)} ${ours.format}`, ours.bytes.length / best);
  }
  const [ours, best] = sizes;
  const wins = ours.filter((size, i) => size <= best[i]!).length;
  const what = `${ours.length} pictures to auto, size beside the best of three (${wins} no larger)`;
  report(what, 'kB', sizes, '1.0 or less for 9 of 10');
}

/**
 * Returns sharp's file size at the SSIM of our file: at the same quality, or interpolated between two
 * qualities.
 */
async function sizeAtSsim(picture: Buffer, format: Format, ours: Buffer): Promise<number> {
  const original = await sample(picture);
  const wanted = similarity(original, await sample(ours));
  const same = await encode(picture, format, quality);
  const nearly = 0.0005;
  if (Math.abs(similarity(original, await sample(same)) - wanted) < nearly) return same.length;
  let below = { ssim: 0, size: 1 };
  for (let step = quality - 6; step <= 100; step += 2) {
    const bytes = await encode(picture, format, step);
    const above = { ssim: similarity(original, await sample(bytes)), size: bytes.length };
    if (above.ssim >= wanted) {
      const part = (wanted - below.ssim) / (above.ssim - below.ssim || 1);
      return below.ssim === 0 ? above.size : below.size + part * (above.size - below.size);
    }
    below = above;
  }
  return below.size;
}

/** Returns the centre of a picture, upright, in the form that ssim.js takes. */
async function sample(picture: Buffer) {
  const upright = sharp(picture).autoOrient().flatten({ background: '#fff' }).toColourspace('srgb');
  const { width, height } = (await sharp(picture).metadata()).autoOrient;
  const side = { width: Math.min(width, 1024), height: Math.min(height, 1024) };
  const { data, info } = await upright
    .extract({
      left: (width - side.width) >> 1,
      top: (height - side.height) >> 1,
      ...side,
    })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8ClampedArray(data), width: info.width, height: info.height };
}

type Sample = Awaited<ReturnType<typeof sample>>;

function similarity(a: Sample, b: Sample): number {
  return ssim(a, b, { downsample: false }).mssim;
}

function encode(picture: Buffer, format: Format, step: number): Promise<Buffer> {
  const upright = sharp(picture).autoOrient();
  if (format === 'webp') return upright.webp({ quality: step }).toBuffer();
  if (format === 'png') return upright.png({ quality: step }).toBuffer();
  return upright.flatten({ background: '#fff' }).jpeg({ quality: step, mozjpeg: true }).toBuffer();
}

/** Calls the tool. `time` is the run time in milliseconds. Returns undefined for an error. */
async function optimise(picture: Buffer, format: Format | 'auto') {
  const form = new FormData();
  form.set('file', new Blob([picture]));
  form.set(
    'options',
    JSON.stringify({ output_format: format, quality, strip_metadata: true, inline: true }),
  );
  const answer = await fetch(`${bench.service}/api/optimize-image`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bench.key}` },
    body: form,
  });
  if (!answer.ok) {
    console.log(`  refused: ${answer.status} ${await answer.text()}`);
    return undefined;
  }
  const body = (await answer.json()) as { content: string; output_format: Format };
  const time = Number(
    /tool;dur=([\d.]+)/.exec(answer.headers.get('server-timing') ?? '')?.[1] ?? NaN,
  );
  return { bytes: Buffer.from(body.content, 'base64'), format: body.output_format, time };
}

function report(what: string, unit: string, [ours, theirs]: [number[], number[]], wanted: string) {
  compared({ what, unit, ours, peer: 'sharp', theirs, wanted });
}

function noted(name: string, ratio: number) {
  if (process.env.VERBOSE !== undefined) console.log(`  ${name}: ${ratio.toFixed(3)}`);
}
