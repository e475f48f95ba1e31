// How small and how fast do pictures become, beside sharp (libvips) on one core? Calls of the tool
// as it is deployed, in workerd, against sharp with the same quality, on the pictures of a folder.
//
// Usage: node bench/image.ts [FOLDER]   (the backgrounds of a Debian desktop by default)
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import sharp from 'sharp';
import { ssim } from 'ssim.js';
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
if (files.length === 0) throw new Error(`no pictures in ${folder}; name another folder`);

const bench = await startBench();
try {
  for (const format of ['jpeg', 'webp'] as const) await compare(format);
  await compareAuto();
} finally {
  bench.stop();
}

async function compare(format: Format) {
  const sizes: number[] = [];
  const times: number[] = [];
  for (const file of files) {
    const picture = readFileSync(file);
    const ours = await optimise(picture, format);
    if (!ours) continue;
    const theirs = () => encode(picture, format, quality);
    const time = { ours: [ours.time], sharp: [] as number[] };
    for (let i = 0; i < rounds; i++) {
      time.sharp.push(await timed(theirs));
      time.ours.push((await optimise(picture, format))!.time);
    }
    const size = ours.bytes.length / (await sizeAtSsim(picture, format, ours.bytes));
    const duration = median(time.ours) / median(time.sharp);
    sizes.push(size);
    times.push(duration);
    report(`${format} ${basename(file)}`, { size, time: duration });
  }
  console.log(
    `${format}, ${sizes.length} pictures: size at equal SSIM ${median(sizes).toFixed(3)} of sharp's ` +
      `(${spread(sizes)}; wanted 1.0), time ${median(times).toFixed(2)} (${spread(times)}; wanted 2.5)`,
  );
}

async function compareAuto() {
  const ratios: number[] = [];
  for (const file of files) {
    const picture = readFileSync(file);
    const ours = await optimise(picture, 'auto');
    if (!ours) continue;
    const { isOpaque } = await sharp(picture).stats();
    const formats: Format[] = isOpaque ? ['png', 'jpeg', 'webp'] : ['png', 'webp'];
    const theirs = await Promise.all(formats.map((format) => encode(picture, format, quality)));
    const size = ours.bytes.length / Math.min(...theirs.map(({ length }) => length));
    ratios.push(size);
    report(`auto ${basename(file)} ${ours.format}`, { size });
  }
  const wins = ratios.filter((ratio) => ratio <= 1).length;
  console.log(
    `auto: no larger than the best of sharp's three on ${wins} of ${ratios.length} pictures ` +
      `(wanted 9 of 10), median ${median(ratios).toFixed(3)} (${spread(ratios)})`,
  );
}

/** The size at which sharp reaches the SSIM of our file: at the same quality, or between two. */
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

/** The middle of a picture, upright, as ssim.js takes it. */
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

/** Calls the tool; `time` is what running it took, in milliseconds. Undefined when refused. */
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

function spread(values: number[]): string {
  return `${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)}`;
}

function report(name: string, ratios: Record<string, number>) {
  if (process.env.VERBOSE !== undefined) {
    const parts = Object.entries(ratios).map(([key, value]) => `${key} ${value.toFixed(3)}`);
    console.log(`  ${name}: ${parts.join(', ')}`);
  }
}
