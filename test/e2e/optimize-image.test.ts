import { readdirSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { post, service } from './call.ts';

/** Every picture of PngSuite's basic set. */
const pictures = `${import.meta.dirname}/pictures`;
const suite = readdirSync(pictures).filter((name) => name.endsWith('.png'));

interface Answer {
  url?: string;
  content?: string;
  expires_at?: string;
  original_size: number;
  optimized_size: number;
  reduction_percent: number;
  output_format: 'png' | 'jpeg' | 'webp';
  width: number;
  height: number;
}

function upload(file: Uint8Array, options: unknown = {}, name = 'photo.jpg'): Promise<Response> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(file)]), name);
  form.set('options', JSON.stringify(options));
  const { url, key } = service;
  return fetch(`${url}/api/optimize-image`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
}

/** The optimised picture, inline. */
async function optimise(file: Uint8Array, options: object = {}) {
  const answer = await upload(file, { ...options, inline: true });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const body = (await answer.json()) as Answer;
  return { ...body, bytes: Buffer.from(body.content!, 'base64') };
}

async function refusal(file: Uint8Array, options: object = {}) {
  const answer = await upload(file, { ...options, inline: true });
  return { status: answer.status, message: ((await answer.json()) as { message: string }).message };
}

/** Upright RGBA pixels, as sharp sees them. */
const pixels = (picture: Sharp) =>
  picture
    .autoOrient()
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });

/** Mean difference of two pictures in levels; of a transparent pixel only its transparency counts. */
async function difference(a: Sharp, b: Sharp): Promise<number> {
  const [one, other] = await Promise.all([pixels(a), pixels(b)]);
  expect([one.info.width, one.info.height]).toEqual([other.info.width, other.info.height]);
  let sum = 0;
  for (let i = 0; i < one.data.length; i++) {
    const clear = one.data[i | 3] === 0 && other.data[i | 3] === 0;
    if (!clear) sum += Math.abs(one.data[i]! - other.data[i]!);
  }
  return sum / one.data.length;
}

/** Something like a photo: soft colours with grain. */
function photo(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const data = Buffer.alloc(width * height * channels);
  let seed = 1;
  for (let i = 0, y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      const grain = (seed >>> 16) % 16;
      data[i++] = 60 + grain + 90 * (1 + Math.sin(x / 37)) * 0.9;
      data[i++] = 40 + grain + 80 * (1 + Math.sin((x + y) / 53));
      data[i++] = 90 + grain + 60 * (1 + Math.cos(y / 29));
      if (channels === 4) data[i++] = x < width / 2 ? 255 : 128;
    }
  }
  return sharp(data, { raw: { width, height, channels } });
}

const jpeg = await photo(640, 480).jpeg({ quality: 95 }).toBuffer();
const clear = await photo(300, 200, 4).png().toBuffer();

describe('the answer', () => {
  it('is a link to the file by default, named after the upload', async () => {
    const answer = await upload(jpeg, { output_format: 'webp' }, 'Mein Foto.jpeg');
    expect(answer.headers.get('x-credits-cost')).toBe('5');
    const body = (await answer.json()) as Answer;
    expect(body.content).toBeUndefined();
    expect(Date.parse(body.expires_at!)).toBeGreaterThan(Date.now() + 3_500_000);
    const file = await fetch(body.url!);
    expect(file.headers.get('content-type')).toBe('image/webp');
    expect(file.headers.get('content-disposition')).toBe('inline; filename="Mein Foto.webp"');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.length).toBe(body.optimized_size);
    expect(await sharp(bytes).metadata()).toMatchObject({
      format: 'webp',
      width: 640,
      height: 480,
    });
  });

  it('is the picture itself with inline, and tells the saved bytes', async () => {
    const answer = await optimise(jpeg, { output_format: 'jpeg' });
    expect(answer).not.toHaveProperty('url');
    expect(answer.original_size).toBe(jpeg.length);
    expect(answer.optimized_size).toBe(answer.bytes.length);
    const saved = 100 * (1 - answer.bytes.length / jpeg.length);
    expect(answer.reduction_percent).toBeCloseTo(saved, 2);
    expect(answer.output_format).toBe('jpeg');
  });

  it('has a valid name for any name of the upload', async () => {
    const names = { [`${'🙂'.repeat(300)}.jpg`]: `${'🙂'.repeat(100)}.webp`, '../..': '..webp' };
    for (const [name, expected] of Object.entries(names)) {
      const answer = await upload(jpeg, { output_format: 'webp' }, name);
      expect(answer.status).toBe(200);
      const { url } = (await answer.json()) as Answer;
      expect(decodeURIComponent(new URL(url!).pathname.split('/').at(-1)!)).toBe(expected);
      expect((await fetch(url!)).status).toBe(200);
    }
  });

  it('is the same for JSON', async () => {
    const [uploaded, posted] = await Promise.all([
      optimise(jpeg),
      post('optimize-image/json', { content: jpeg.toString('base64'), inline: true }),
    ]);
    const { content } = (await posted.json()) as Answer;
    expect(content).toBe(uploaded.content);
  });

  it('is the original when no result is smaller and no change was requested', async () => {
    const small = await sharp(jpeg).jpeg({ quality: 20, mozjpeg: true }).toBuffer();
    const answer = await optimise(small, { output_format: 'jpeg', quality: 95 });
    expect(answer.bytes.equals(small)).toBe(true);
    expect(answer.reduction_percent).toBe(0);
    const asPng = await optimise(small, { output_format: 'png', quality: 100 });
    expect(asPng.reduction_percent).toBe(0);
    expect((await sharp(asPng.bytes).metadata()).format).toBe('png');
  });
});

describe('auto', () => {
  it('is no larger than any of the three', async () => {
    for (const file of [jpeg, clear, readFileSync(`${pictures}/basn3p08.png`)]) {
      const auto = await optimise(file);
      for (const output_format of ['png', 'webp', 'jpeg']) {
        if (output_format === 'jpeg' && file === clear) continue;
        const { bytes } = await optimise(file, { output_format });
        expect(auto.bytes.length).toBeLessThanOrEqual(bytes.length);
      }
      const { format } = await sharp(auto.bytes).metadata();
      expect(format).toBe(auto.output_format);
    }
  });

  it('keeps transparency that is used, and may choose JPEG where it is not', async () => {
    const kept = await optimise(clear);
    expect(kept.output_format).not.toBe('jpeg');
    expect((await sharp(kept.bytes).stats()).isOpaque).toBe(false);
    const opaque = await photo(640, 480).ensureAlpha().png().toBuffer();
    const both = await Promise.all(
      ['jpeg', 'webp'].map((output_format) => optimise(opaque, { output_format })),
    );
    const auto = await optimise(opaque);
    expect(auto.bytes.length).toBe(Math.min(...both.map(({ bytes }) => bytes.length)));
  });

  it.each(['png', 'webp'] as const)('beats sharp on a drawing (%s)', async (format) => {
    const drawing = await sharp(
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="#fc0"/><circle cx="200" cy="150" r="90" fill="#036"/><text x="40" y="60" font-size="40">Logo</text></svg>',
      ),
    )
      .png()
      .toBuffer();
    const theirs = await sharp(drawing)[format]({ quality: 85 }).toBuffer();
    const ours = await optimise(drawing, { output_format: format });
    expect(ours.bytes.length).toBeLessThanOrEqual(theirs.length);
    expect(await difference(sharp(ours.bytes), sharp(drawing))).toBeLessThan(1);
  });
});

describe('pixels are the same as decoded by sharp', () => {
  it.each(suite)('%s', async (name) => {
    const file = readFileSync(`${pictures}/${name}`);
    const { bytes } = await optimise(file, { output_format: 'png', quality: 100 });
    // Sharp rounds 16 bits down, we round to the nearest.
    expect(await difference(sharp(bytes), sharp(file))).toBeLessThan(1);
  });

  const lossless = { output_format: 'png', quality: 100 };
  it.each([
    ['a progressive JPEG', () => photo(301, 203).jpeg({ progressive: true })],
    ['a JPEG of 4:4:4', () => photo(301, 203).jpeg({ chromaSubsampling: '4:4:4' })],
    ['a grey JPEG', () => photo(301, 203).toColourspace('b-w').jpeg()],
    ['a CMYK JPEG with its profile', () => photo(301, 203).withIccProfile('cmyk').jpeg()],
    ['a lossy WebP', () => photo(301, 203).webp()],
    ['a lossless WebP', () => photo(301, 203).webp({ lossless: true })],
    ['a WebP with alpha', () => photo(301, 203, 4).webp()],
    ['a GIF', () => photo(301, 203).gif()],
    ['an interlaced PNG', () => photo(301, 203).png({ progressive: true })],
  ])('%s', async (_what, make) => {
    const file = await make().toBuffer();
    const { bytes } = await optimise(file, { ...lossless, strip_metadata: true });
    expect(await difference(sharp(bytes), sharp(file))).toBeLessThan(2);
  });

  it('a CMYK JPEG without a profile', async () => {
    const file = await photo(301, 203).withIccProfile('cmyk').jpeg().toBuffer();
    const bare = withoutSegments(file, 0xe2);
    expect((await sharp(bare).metadata()).hasProfile).toBe(false);
    const { bytes } = await optimise(bare, lossless);
    expect(await difference(sharp(bytes), sharp(bare))).toBeLessThan(2);
  });

  it.each(['png', 'jpeg', 'webp'])('Display P3 becomes sRGB in %s when it goes', async (format) => {
    const file = await photo(301, 203).withIccProfile('p3').png().toBuffer();
    const options = { output_format: format, quality: 100, strip_metadata: true };
    const { bytes } = await optimise(file, options);
    expect((await sharp(bytes).metadata()).hasProfile).toBe(false);
    expect(await difference(sharp(bytes), sharp(file))).toBeLessThan(2);
  });
});

describe('EXIF orientation', () => {
  for (const [orientation, format] of [1, 2, 3, 4, 5, 6, 7, 8].flatMap((o) =>
    (['png', 'jpeg', 'webp'] as const).map((f) => [o, f] as const),
  )) {
    it(`${orientation} is applied to the pixels of a ${format}`, async () => {
      const file = await photo(61, 40).withMetadata({ orientation }).jpeg().toBuffer();
      const answer = await optimise(file, { output_format: format, quality: 100 });
      const turned = orientation > 4;
      expect([answer.width, answer.height]).toEqual(turned ? [40, 61] : [61, 40]);
      const { orientation: left, width } = await sharp(answer.bytes).metadata();
      expect(left ?? 1).toBe(1);
      expect(width).toBe(answer.width);
      // Chroma of half the size in JPEG and WebP costs a few levels, wherever it is turned.
      const most = format === 'png' ? 1 : 5;
      expect(await difference(sharp(answer.bytes), sharp(file))).toBeLessThan(most);
    });
  }

  it('counts for max_width', async () => {
    const file = await photo(600, 400).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const answer = await optimise(file, { max_width: 100 });
    expect([answer.width, answer.height]).toEqual([100, 150]);
  });
});

describe('metadata', () => {
  const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><a/></x:xmpmeta>';
  const rich = () =>
    photo(300, 200)
      .withIccProfile('p3')
      .withExif({ IFD0: { Copyright: 'Somebody' } })
      .withXmp(xmp);
  const pairs = (['png', 'jpeg', 'webp'] as const).flatMap((from) =>
    (['png', 'jpeg', 'webp'] as const).map((to) => [from, to] as const),
  );

  it.each(pairs)('goes from %s to %s unless it is to be removed', async (from, to) => {
    const file = await rich()[from]().toBuffer();
    const kept = await sharp((await optimise(file, { output_format: to })).bytes).metadata();
    expect(kept.exif?.toString('latin1')).toContain('Somebody');
    expect(kept.xmp?.toString()).toContain('adobe:ns:meta');
    expect(kept.icc?.toString('latin1')).toBe(
      (await sharp(file).metadata()).icc?.toString('latin1'),
    );

    const { bytes } = await optimise(file, { output_format: to, strip_metadata: true });
    const { exif, xmp: packet, icc } = await sharp(bytes).metadata();
    expect([exif, packet, icc]).toEqual([undefined, undefined, undefined]);
    expect(bytes.toString('latin1')).not.toContain('Somebody');
  });

  it('drops an RGB profile from a grey picture', async () => {
    const coloured = await photo(60, 40).withIccProfile('p3').jpeg().toBuffer();
    const profile = segments(coloured).filter(({ marker }) => marker === 0xe2);
    const plain = await photo(60, 40).toColourspace('b-w').jpeg().toBuffer();
    const parts = [plain.subarray(0, 2), ...profile.map(({ bytes }) => bytes), plain.subarray(2)];
    const grey = Buffer.concat(parts);
    expect(await sharp(grey).metadata()).toMatchObject({ channels: 1, hasProfile: true });
    for (const output_format of ['jpeg', 'png', 'webp']) {
      const { bytes } = await optimise(grey, { output_format, quality: 100, max_width: 50 });
      expect((await sharp(bytes).metadata()).icc).toBeUndefined();
    }
  });

  it('is removed even if the file does not become smaller', async () => {
    const tiny = await photo(4, 4)
      .withExif({ IFD0: { Copyright: 'Somebody' } })
      .png()
      .toBuffer();
    const { bytes } = await optimise(tiny, { output_format: 'png', strip_metadata: true });
    expect(bytes.toString('latin1')).not.toContain('Somebody');
  });
});

describe('size and quality', () => {
  it('never enlarges', async () => {
    expect((await optimise(jpeg, { max_width: 5000 })).width).toBe(640);
  });

  it.each([320, 100, 7, 1])('resizes to %s as a filter in linear light does', async (max_width) => {
    const answer = await optimise(jpeg, { max_width, output_format: 'png', quality: 100 });
    const height = Math.max(1, Math.round((480 * max_width) / 640));
    expect([answer.width, answer.height]).toEqual([max_width, height]);
    const theirs = sharp(
      await sharp(jpeg).gamma().resize(max_width, height, { fit: 'fill' }).png().toBuffer(),
    );
    expect(await difference(sharp(answer.bytes), theirs)).toBeLessThan(4);
  });

  it('does not bleed the colour of transparent pixels', async () => {
    const data = Buffer.alloc(64 * 64 * 4);
    for (let i = 0; i < data.length; i += 4)
      data.set(i % 256 < 128 ? [255, 0, 0, 255] : [0, 255, 0, 0], i);
    const file = await sharp(data, { raw: { width: 64, height: 64, channels: 4 } })
      .png()
      .toBuffer();
    const { bytes } = await optimise(file, { max_width: 15, output_format: 'png', quality: 100 });
    const { data: small } = await pixels(sharp(bytes));
    const greens = [...small].filter((_, i) => i % 4 === 1 && small[i + 2]! > 8);
    expect(greens.length).toBeGreaterThan(0);
    expect(Math.max(...greens)).toBeLessThan(8);
  });

  it.each(['png', 'jpeg', 'webp'])('less quality is a smaller %s', async (output_format) => {
    const sizes = [];
    for (const quality of [5, 50, 95]) {
      sizes.push((await optimise(jpeg, { output_format, quality })).bytes.length);
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(sizes[0]).toBeLessThan(sizes[2]!);
  });

  it('makes JPEGs no larger than mozjpeg in sharp at the same quality', async () => {
    const ours = await optimise(jpeg, { output_format: 'jpeg' });
    const theirs = await sharp(jpeg).jpeg({ quality: 85, mozjpeg: true }).toBuffer();
    expect(ours.bytes.length / theirs.length).toBeLessThan(1.005);
    const [a, b] = await Promise.all(
      [ours.bytes, theirs].map((bytes) => difference(sharp(bytes), sharp(jpeg))),
    );
    expect(a! / b!).toBeLessThan(1.02);
  });

  it('flattens on white for JPEG', async () => {
    const { bytes } = await optimise(clear, { output_format: 'jpeg', quality: 100 });
    const white = sharp(await sharp(clear).flatten({ background: '#fff' }).png().toBuffer());
    expect(await difference(sharp(bytes), white)).toBeLessThan(5);
  });

  it('keeps 16 bits and every pixel of a PNG', async () => {
    const file = readFileSync(`${pictures}/basn2c16.png`);
    for (const quality of [85, 100]) {
      const { bytes } = await optimise(file, { output_format: 'png', quality });
      expect((await sharp(bytes).metadata()).depth).toBe('ushort');
      const deep = (picture: Uint8Array) =>
        sharp(picture).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
      expect((await deep(bytes)).equals(await deep(file))).toBe(true);
    }
  });

  it.each([
    [{ quality: 0 }, 'quality'],
    [{ quality: 101 }, 'quality'],
    [{ quality: 8.5 }, 'quality'],
    [{ max_width: -1 }, 'max_width'],
    [{ output_format: 'avif' }, 'output_format'],
    [{ inline: 'yes' }, 'inline'],
  ])('%j is a 422', async (options, field) => {
    const { status, message } = await upload(jpeg, options).then(async (answer) => ({
      status: answer.status,
      message: ((await answer.json()) as { message: string }).message,
    }));
    expect(status).toBe(422);
    expect(message).toContain(field);
  });
});

describe('large pictures', () => {
  it('takes the 12 megapixels of a phone, upright, in every format', async () => {
    const data = await photo(4032, 3024).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    for (const output_format of ['auto', 'jpeg', 'webp']) {
      const answer = await optimise(data, { output_format });
      expect([answer.width, answer.height]).toEqual([3024, 4032]);
      expect(await difference(sharp(answer.bytes), sharp(data))).toBeLessThan(6);
    }
  });

  it('makes a PNG with all colours if a palette would need too much memory', async () => {
    const file = await photo(2400, 1700).jpeg({ quality: 90 }).toBuffer();
    const { bytes } = await optimise(file, { output_format: 'png' });
    expect(await difference(sharp(bytes), sharp(file))).toBeLessThan(6);
  });

  it('takes 96 megapixels with max_width, and without where there is more memory', async () => {
    const one = await photo(1200, 800).jpeg({ quality: 70 }).toBuffer();
    const large = await sharp(one)
      .resize(12_000, 8000, { kernel: 'nearest' })
      .jpeg({ quality: 30 })
      .toBuffer();
    expect((await optimise(large, { max_width: 800 })).width).toBe(800);
    const whole = await optimise(large, { output_format: 'jpeg', quality: 30 });
    expect([whole.width, whole.height]).toEqual([12_000, 8000]);
    expect(await difference(sharp(whole.bytes).resize(600), sharp(large).resize(600))).toBeLessThan(
      4,
    );
  });
});

describe('an invalid picture', () => {
  const originals = async () => [
    jpeg,
    await sharp(jpeg).jpeg({ progressive: true }).toBuffer(),
    clear,
    await sharp(clear).png({ progressive: true }).toBuffer(),
    await sharp(jpeg).webp().toBuffer(),
    await sharp(clear).webp({ lossless: true }).toBuffer(),
    await sharp(clear).gif().toBuffer(),
  ];
  /** Refused with 422 or 413, without the seconds that an intact picture takes. */
  async function expectRefused(name: string, file: Uint8Array) {
    const start = performance.now();
    const { status, message } = await refusal(file);
    expect([413, 422], `${name}: ${message}`).toContain(status);
    expect(performance.now() - start, name).toBeLessThan(10_000);
  }

  it('is refused when it is truncated at any byte', async () => {
    for (const [i, file] of (await originals()).entries()) {
      for (const part of [0.01, 0.3, 0.6, 0.9, 0.99]) {
        await expectRefused(`${i} at ${part}`, file.subarray(0, Math.floor(file.length * part)));
      }
      await expectRefused(`${i} less 2 bytes`, file.subarray(0, -2));
    }
  });

  it('is refused when other data follows it', async () => {
    for (const [i, file] of (await originals()).entries()) {
      for (const tail of ['<script>alert(1)</script>', 'PK\x03\x04 and the rest of a zip']) {
        await expectRefused(`${i} with a tail`, Buffer.concat([file, Buffer.from(tail)]));
      }
    }
  });

  it('is not a JPEG with the data that cameras append', async () => {
    const video = Buffer.from('\0\0\0\x18ftypmp42 and so on');
    for (const tail of [jpeg, Buffer.alloc(100), video]) {
      expect((await optimise(Buffer.concat([jpeg, tail]))).width).toBe(640);
    }
  });

  it('is refused when its header has a wrong size', async () => {
    const png = Buffer.from(clear);
    png.writeUInt32BE(100_000, 16);
    png.writeUInt32BE(100_000, 20);
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
    await expectRefused('PNG of 100,000 × 100,000', png);
    const sof = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    const lying = Buffer.from(jpeg);
    lying.writeUInt16BE(65_000, sof + 5);
    lying.writeUInt16BE(65_000, sof + 7);
    await expectRefused('JPEG of 65,000 × 65,000', lying);
    const gif = await sharp(clear).gif().toBuffer();
    gif.writeUInt32LE(0xffffffff, 6);
    await expectRefused('GIF of 65,535 × 65,535', gif);
  });

  it('is refused when it is not a picture', async () => {
    for (const file of ['', 'hello', '%PDF-1.7', 'GIF89a', '\xff\xd8\xff', '\x89PNG\r\n\x1a\n']) {
      await expectRefused(file, Buffer.from(file, 'latin1'));
    }
    await expectRefused('RIFF', Buffer.from('RIFF\0\0\0\0WEBP'));
    await expectRefused('SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  });

  it('is refused when it is animated', async () => {
    const frames = Buffer.concat([await photo(32, 32).raw().toBuffer(), Buffer.alloc(32 * 32 * 3)]);
    const raw = { width: 32, height: 64, channels: 3, pageHeight: 32 } as const;
    for (const format of ['gif', 'webp'] as const) {
      const moving = await sharp(frames, { raw })[format]({ loop: 0 }).toBuffer();
      const { status, message } = await refusal(moving);
      expect([status, message]).toEqual([422, expect.stringContaining('animated')]);
    }
  });

  it('is refused or decoded when bytes are corrupted', async () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    for (const file of await originals()) {
      for (let i = 0; i < 15; i++) {
        const broken = Buffer.from(file);
        for (let n = 0; n < 10; n++) broken[random(broken.length)] = random(256);
        const answer = await upload(broken, { output_format: 'webp', inline: true });
        expect([200, 413, 422]).toContain(answer.status);
        await answer.arrayBuffer();
      }
    }
    expect((await optimise(jpeg)).width).toBe(640);
  });

  it('is refused above 10 MB, in a form and in JSON', async () => {
    const large = Buffer.alloc(10 * 1024 * 1024 + 1, 'x');
    expect((await refusal(large)).status).toBe(413);
    const posted = await post('optimize-image/json', { content: large.toString('base64') });
    expect(posted.status).toBe(413);
    await posted.arrayBuffer();
  });

  it('is named by its field in the error, in a form and in JSON', async () => {
    expect((await refusal(Buffer.from('hello'))).message).toMatch(/^file: must be a PNG/);
    const posted = await post('optimize-image/json', { content: 'aGVsbG8=' });
    expect(((await posted.json()) as { message: string }).message).toMatch(/^content: must be/);
    const missing = await post('optimize-image/json', {});
    expect(((await missing.json()) as { message: string }).message).toMatch(/content: is required/);
  });

  it('costs nothing', async () => {
    const before = Number((await upload(jpeg)).headers.get('x-credits-remaining'));
    expect((await upload(Buffer.from('x'))).headers.get('x-credits-cost')).toBe('0');
    const after = Number((await upload(jpeg)).headers.get('x-credits-remaining'));
    expect(before - after).toBe(5);
  });
});

it('answers many concurrent calls', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => upload(jpeg, { inline: true })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

/** The segments of a JPEG before its first scan (T.81, B.1.1.4). */
function segments(file: Buffer): { marker: number; bytes: Buffer }[] {
  const found = [];
  for (let at = 2; file[at + 1] !== 0xda;) {
    const end = at + 2 + file.readUInt16BE(at + 2);
    found.push({ marker: file[at + 1]!, bytes: file.subarray(at, end) });
    at = end;
  }
  return found;
}

/** A JPEG without its segments of one marker. */
function withoutSegments(file: Buffer, marker: number): Buffer {
  const all = segments(file);
  const head = 2 + all.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const kept = all.filter((segment) => segment.marker !== marker).map(({ bytes }) => bytes);
  return Buffer.concat([file.subarray(0, 2), ...kept, file.subarray(head)]);
}
