import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { anonymous } from '../../src/account/caller.ts';
import { call } from '../../src/call.ts';
import type { Converter } from '../../src/converter/converter.ts';
import { ServiceError, invalidInput } from '../../src/errors.ts';
import {
  CodecError,
  memoryFor,
  openPicture,
  type Picture,
} from '../../src/tools/optimize-image/codec.ts';
import { optimizeImageTool } from '../../src/tools/optimize-image/index.ts';
import { optimise } from '../../src/tools/optimize-image/optimise.ts';
import { optimisePng } from '../../src/tools/optimize-image/oxipng.ts';
import { withoutMetadata, withoutTexts } from '../../src/tools/optimize-image/png.ts';
import { context, refusal } from './run.ts';

const MB = 1e6;

/** Memory in bytes that one picture may take: the isolate's 128 MB without the memory of the rest. */
const allowed = 100 * MB;

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
};

/** Creates a PNG of soft colours with grain, so that it compresses like a photo. */
function photo(width: number, height: number, extra: Buffer[] = [], grainy = true): Uint8Array {
  const rows = Buffer.alloc((3 * width + 1) * height);
  let seed = 1;
  for (let i = 0, y = 0; y < height; y++) {
    rows[i++] = 0;
    for (let x = 0; x < width; x++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      const grain = grainy ? (seed >>> 16) % 12 : 0;
      rows[i++] = 60 + grain + (((x + y) >> 5) % 128);
      rows[i++] = 40 + grain + ((x >> 4) % 128);
      rows[i++] = 90 + grain + ((y >> 4) % 128);
    }
  }
  return png(width, height, { rows, extra });
}

const rgb = 2;
const rgba = 6;

/** Creates a PNG with 8 bits per sample. Each row begins with the number of its filter. */
function png(
  width: number,
  height: number,
  { rows, type = rgb, extra = [] }: { rows: Uint8Array; type?: number; extra?: Buffer[] },
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, type, 0, 0, 0], 8);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', header),
      ...extra,
      chunk('IDAT', deflateSync(rows, { level: 1 })),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

/** Writes a little-endian TIFF directory (TIFF 6.0, section 2) of short and long values. */
function directory(entries: [tag: number, value: number][], next: number): Buffer {
  const bytes = Buffer.alloc(2 + 12 * entries.length + 4);
  bytes.writeUInt16LE(entries.length);
  for (const [i, [tag, value]] of entries.entries()) {
    const [short, long] = [3, 4];
    bytes.writeUInt16LE(tag, 2 + 12 * i);
    bytes.writeUInt16LE(tag === 0x0112 ? short : long, 4 + 12 * i);
    bytes.writeUInt32LE(1, 6 + 12 * i);
    bytes.writeUInt32LE(value, 10 + 12 * i);
  }
  bytes.writeUInt32LE(next, bytes.length - 4);
  return bytes;
}

/** EXIF data of a camera held sideways: orientation, size of the picture, and a thumbnail at the end. */
const exif = Buffer.concat([
  Buffer.from('II*\0\x08\0\0\0', 'latin1'),
  directory(
    [
      [0x0112, 6],
      [0x8769, 38],
    ],
    68,
  ),
  directory(
    [
      [0xa002, 64],
      [0xa003, 48],
    ],
    0,
  ),
  directory(
    [
      [0x0201, 98],
      [0x0202, 500],
    ],
    0,
  ),
  Buffer.alloc(500, 'T'),
]);

/** Creates a JPEG of the same picture with an EXIF orientation. */
function sidewaysJpeg(width: number, height: number, grainy = true): Uint8Array {
  const png = openPicture(photo(width, height, [], grainy), 92 * MB);
  png.prepare(width, height, false);
  const bytes = png.jpeg(90, true);
  const segment = Buffer.concat([Buffer.from('Exif\0\0'), exif]);
  const marker = Buffer.from([0xff, 0xe1, 0, 0]);
  marker.writeUInt16BE(segment.length + 2, 2);
  return new Uint8Array(Buffer.concat([bytes.subarray(0, 2), marker, segment, bytes.subarray(2)]));
}

const small = photo(64, 48);
const order = { output_format: 'auto', quality: 85, max_width: 0, strip_metadata: false } as const;

describe('memory', () => {
  // Photos of phones have 4032 × 3024 pixels, for which other codecs exceed a Worker's memory (jSquash, issue
  // 95).
  const file = sidewaysJpeg(4032, 3024);

  it.each([
    ['webp, lean', (p: Picture) => p.webp(85, 4, true)],
    ['webp', (p: Picture) => p.webp(85, 4)],
    ['jpeg', (p: Picture) => p.jpeg(85)],
    ['jpeg, sequential', (p: Picture) => p.jpeg(85, true)],
  ])('12 megapixels, upright, fit: %s', (_what, encode) => {
    const picture = openPicture(file);
    picture.prepare(4032, 3024, true);
    const made = encode(picture);
    expect(made.length).toBeGreaterThan(100_000);
    // The base64 in the body, the bytes, the codec's memory, and the result twice.
    const peak = (file.length * 7) / 3 + picture.memory() + 2 * made.length;
    expect(peak).toBeLessThan(allowed);
  });

  it('runs out of its own share before it takes that of others', () => {
    const picture = openPicture(file);
    picture.prepare(4032, 3024, true);
    picture.hold();
    // A buffered picture of this size leaves no memory for trellis quantisation.
    const failure = failureOf(() => picture.jpeg(100));
    expect(failure.failure).toBe('out of memory');
    expect(picture.memory()).toBeLessThanOrEqual(memoryFor(file) + 65_536);
  });

  it('decodes anew for each encoder what cannot be held', () => {
    const { width, height, format } = optimise(file, order);
    expect([width, height]).toEqual([3024, 4032]);
    expect(['jpeg', 'webp']).toContain(format);
  });

  it('makes a sequential JPEG where a progressive one does not fit', () => {
    const large = optimise(sidewaysJpeg(6000, 4500, false), { ...order, output_format: 'jpeg' });
    expect([large.width, large.height]).toEqual([4500, 6000]);
    expect(markers(large.bytes)).toContain(0xc0);
    const usual = optimise(small, { ...order, output_format: 'jpeg' });
    expect(markers(usual.bytes)).toContain(0xc2);
  });

  it('refuses what does not fit at all, at once and with the way out', () => {
    const huge = sidewaysJpeg(64, 48);
    const frame = huge.findIndex((byte, i) => byte === 0xc0 && huge[i - 1] === 0xff) + 4;
    new DataView(huge.buffer).setUint16(frame, 8000);
    new DataView(huge.buffer).setUint16(frame + 2, 12_000);
    const start = performance.now();
    expect(() => optimise(huge, order)).toThrow(/12000 × 8000.*max_width/);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('one failing encoder', () => {
  it('costs no more than its own candidate', () => {
    // WebP allows at most 16,383 pixels per side.
    const wide = photo(17_000, 8);
    expect(optimise(wide, order).format).not.toBe('webp');
    expect(() => optimise(wide, { ...order, output_format: 'webp' })).toThrow(/16,383/);
    expect(optimise(wide, { ...order, output_format: 'webp', max_width: 1000 }).width).toBe(1000);
  });

  it('leaves nothing behind when it traps', () => {
    expect(() => optimisePng(new Uint8Array([1, 2, 3]), 2)).toThrow(WebAssembly.RuntimeError);
    expect(optimisePng(small, 2).length).toBeLessThanOrEqual(small.length);
  });
});

describe('the codec', () => {
  it('says what it found before it decodes', () => {
    expect(openPicture(small).header).toMatchObject({
      format: 'png',
      width: 64,
      height: 48,
      orientation: 1,
      channels: 3,
      deep: false,
    });
    expect(openPicture(sidewaysJpeg(40, 30)).header).toMatchObject({
      format: 'jpeg',
      orientation: 6,
    });
  });

  it('tells damage in words', () => {
    const damaged = new Uint8Array(small);
    damaged[small.length - 30]! ^= 255;
    const picture = openPicture(damaged);
    picture.prepare(64, 48, false);
    const failure = failureOf(() => picture.webp(85, 4));
    expect(failure.failure).toBe('damaged');
    expect(failure.message).toMatch(/CRC/);
  });

  it('counts colours no further than asked', () => {
    const picture = openPicture(small);
    picture.prepare(64, 48, false);
    picture.hold();
    expect(picture.colours(100)).toBe(100);
    expect(picture.colours(10_000)).toBeGreaterThan(100);
    expect(picture.colours(10_000)).toBeLessThanOrEqual(64 * 48);
  });
});

it('fits EXIF to the new picture: upright, its size, and without the old thumbnail', () => {
  const { bytes } = optimise(sidewaysJpeg(64, 48), {
    ...order,
    output_format: 'jpeg',
    max_width: 24,
  });
  const at = Buffer.from(bytes).indexOf('Exif');
  const block = Buffer.from(bytes).subarray(at + 6, at + 6 + 98);
  expect(block.readUInt16LE(18)).toBe(1);
  expect(block.readUInt32LE(34)).toBe(0);
  expect([block.readUInt32LE(48), block.readUInt32LE(60)]).toEqual([24, 32]);
  expect(Buffer.from(bytes).readUInt16BE(at - 2)).toBe(2 + 6 + 98);
});

it('drops what only tells about a PNG, and keeps what it looks like', () => {
  const told = ['tEXt', 'eXIf', 'tIME', 'prVt'].map((type) => chunk(type, Buffer.from('a\0b')));
  const seen = [chunk('gAMA', Buffer.from([0, 1, 0x86, 0xa0]))];
  expect(withoutMetadata(photo(8, 8, [...told, ...seen]))).toEqual(photo(8, 8, seen));
});

it('keeps texts from libpng, of which each would be inflated for every decoding', () => {
  const text = chunk('zTXt', Buffer.from('a\0\0x'));
  const xmp = chunk('iTXt', Buffer.from('XML:com.adobe.xmp\0\0\0\0\0<x/>'));
  const other = chunk('iTXt', Buffer.from('Comment\0\0\0\0\0x'));
  const profile = chunk('iCCP', Buffer.from('a\0\0x'));
  const hostile = photo(8, 8, [text, xmp, text, profile, other, profile, xmp]);
  const size = withoutTexts(hostile);
  expect(hostile.subarray(0, size)).toEqual(photo(8, 8, [xmp, profile]));
  // The codec refuses bytes after the end.
  const trailing = new Uint8Array([...photo(8, 8, [text]), 1, 2, 3]);
  expect(trailing.subarray(0, withoutTexts(trailing))).toEqual(
    new Uint8Array([...photo(8, 8), 1, 2, 3]),
  );
  const jpeg = sidewaysJpeg(8, 8);
  expect(withoutTexts(jpeg)).toBe(jpeg.length);
});

describe('hostile pictures', () => {
  const side = 512;
  /** Creates a picture of a few hundred colours, each of which occurs many times. */
  const ofColours = (colour: (i: number) => number) => {
    const rows = Buffer.alloc((4 * side + 1) * side);
    for (let i = 0; i < side * side; i++) {
      const at = 4 * i + Math.floor(i / side) + 1;
      rows.writeUInt32LE(colour(i % 16_000) >>> 0, at);
    }
    return png(side, side, { rows, type: rgba });
  };
  const counted = async (file: Uint8Array) => {
    const picture = openPicture(file);
    picture.prepare(side, side, false);
    picture.hold();
    const count = picture.colours(16_385);
    return { count, time: await fastest(() => picture.colours(16_385)) };
  };

  it('are counted as fast as others when their colours share a slot of the table', async () => {
    const spread = (i: number) => Math.imul(i, 0x01_00_01_01) | 0xff;
    const plain = await counted(ofColours(spread));
    const blueAndAlpha = await counted(ofColours((i) => (i << 17) | 0x10_20));
    expect(plain.count).toBe(16_000);
    expect(blueAndAlpha.count).toBe(16_000);
    expect(blueAndAlpha.time).toBeLessThan(20 * plain.time);
    const sameSlot = await counted(ofColours((i) => unmixed(Math.imul(i, 0x20_000))));
    expect(sameSlot.time).toBeLessThan(20 * plain.time);
  });

  it('take no longer for being tall', async () => {
    const [width, height] = [1, 200_000];
    const tall = png(width, height, { rows: Buffer.alloc(4 * height) });
    const wide = png(height, width, { rows: Buffer.alloc(3 * height + 1) });
    const time = (file: Uint8Array) => fastest(() => optimise(file, order));
    expect(await time(tall)).toBeLessThan(15 * (await time(wide)));
  });

  it('may not go on after their last row', () => {
    const extra = png(64, 64, { rows: Buffer.alloc(40e6) });
    expect(() => optimise(extra, order)).toThrow(/Too much image data/);
    // A decoder must accept padding at the end of a stream.
    const little = png(64, 64, { rows: Buffer.alloc(193 * 64 + 100) });
    expect(optimise(little, order).width).toBe(64);
  });

  /** Creates noise that compresses well: the same 30 kB repeated. */
  const noise = (width: number, height: number) => {
    const rows = Buffer.alloc((3 * width + 1) * height);
    let seed = 1;
    const period = 29_989;
    for (let i = 0; i < period; i++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      rows[i] = seed >>> 24;
    }
    for (let filled = period; filled < rows.length; filled *= 2) rows.copy(rows, filled, 0, filled);
    for (let y = 0; y < height; y++) rows[y * (3 * width + 1)] = 0;
    return png(width, height, { rows });
  };

  it('are made with less effort where they would take too long', () => {
    const finest = { ...order, output_format: 'jpeg', quality: 100 } as const;
    const sequential = 0xc0;
    const progressive = 0xc2;
    expect(markers(optimise(noise(2600, 2200), finest).bytes)).toContain(sequential);
    expect(markers(optimise(noise(600, 600), finest).bytes)).toContain(progressive);
  });

  it('are refused at once where even the least effort would', () => {
    const picture = openPicture(small);
    picture.prepare(64, 48, false);
    const large = picture.jpeg(90, true);
    const frame = large.findIndex((byte, i) => byte === 0xc0 && large[i - 1] === 0xff) + 4;
    new DataView(large.buffer).setUint16(frame, 9000);
    new DataView(large.buffer).setUint16(frame + 2, 11_000);
    expect(() => optimise(large, { ...order, output_format: 'png' })).toThrow(
      /11000 × 9000 takes too much time.*max_width/,
    );
  });
});

/** Returns the colour whose hash by murmur3's finalizer is a number, by inverting each step. */
function unmixed(hash: number): number {
  let key = hash ^ (hash >>> 16);
  key = Math.imul(key, 0x7e_d1_b4_1d);
  key ^= (key >>> 13) ^ (key >>> 26);
  key = Math.imul(key, 0xa5_cb_92_43);
  return key ^ (key >>> 16);
}

/** Returns the milliseconds of the fastest of three runs. A Worker's clock advances only while it waits. */
async function fastest(work: () => unknown): Promise<number> {
  const times = [];
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve));
    const start = performance.now();
    work();
    await new Promise((resolve) => setTimeout(resolve));
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

describe('storage that fails', () => {
  const down = {
    ...context,
    storage: { put: () => Promise.reject(new ServiceError('unavailable', 'storage is down')) },
  };
  const content = Buffer.from(small).toString('base64');

  it('is a 503, and inline works all the same', async () => {
    const ask = (inline: boolean) => call(optimizeImageTool, { content, inline }, anonymous, down);
    await expect(ask(false)).rejects.toMatchObject({ status: 503 });
    expect((await ask(true)).content).toMatch(/^[\w+/]+=*$/);
  });
});

describe('a picture that does not fit', () => {
  /** A PNG whose header claims 121 megapixels. */
  const large = new Uint8Array(small);
  new DataView(large.buffer).setUint32(16, 11_000);
  new DataView(large.buffer).setUint32(20, 11_000);
  new DataView(large.buffer).setUint32(29, crc32(large.subarray(12, 29)));
  const ask = (optimise: Converter['optimise']) => {
    const converter = { ...context.converter, optimise };
    const content = Buffer.from(large).toString('base64');
    const input = { content, inline: true };
    return call(optimizeImageTool, input, anonymous, { ...context, converter });
  };

  it('is made by the converter', async () => {
    const made = { bytes: new Uint8Array(3), format: 'webp', width: 7, height: 8 } as const;
    expect(await ask(async () => made)).toMatchObject({ content: 'AAAA', width: 7, height: 8 });
  });
  it('is a 413 without one, and the converter has the last word on what it is', async () => {
    const refused = (error: ServiceError) => ask(() => Promise.reject(error));
    await expect(refused(new ServiceError('unavailable', 'none'))).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining('megapixels'),
    });
    await expect(refused(invalidInput('content', 'is broken'))).rejects.toMatchObject({
      status: 422,
      message: 'content: is broken',
    });
  });
});

it('refuses what is no picture, and names the field', async () => {
  for (const content of ['', 'aGVsbG8=', '%%%', 5, null]) {
    expect(await refusal(optimizeImageTool, { content })).toMatchObject({
      status: 422,
      path: 'content',
    });
  }
});

/** Returns the markers of a JPEG's segments before its first scan. */
function markers(jpeg: Uint8Array): number[] {
  const found = [];
  for (let at = 2; jpeg[at + 1] !== 0xda; at += 2 + jpeg[at + 2]! * 256 + jpeg[at + 3]!) {
    found.push(jpeg[at + 1]!);
  }
  return found;
}

function failureOf(work: () => unknown): CodecError {
  try {
    work();
  } catch (error) {
    if (error instanceof CodecError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}
