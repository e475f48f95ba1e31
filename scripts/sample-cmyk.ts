// Writes codec/cmyk.bin: the sRGB colours to which libvips (sharp) converts CMYK without a profile, at 9 steps
// of each ink; cyan varies slowest. Run it again when libvips changes its default profile. See codec/cmyk.h.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import sharp from 'sharp';

const steps = Array.from({ length: 9 }, (_, i) => Math.min(255, Math.round((i * 255) / 8)));
const inks = steps.flatMap((c) =>
  steps.flatMap((m) => steps.flatMap((y) => steps.flatMap((k) => [c, m, y, k]))),
);
const side = steps.length ** 2;

/** Encodes pixels as an uncompressed CMYK TIFF (TIFF 6.0, section 16). sharp reads no raw CMYK pixels. */
function tiff(pixels: number[], width: number, height: number): Buffer {
  const head = Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0]);
  const depths = Buffer.from([8, 0, 8, 0, 8, 0, 8, 0]);
  const long = 4;
  const short = 3;
  const tags = [
    [256, long, 1, width],
    [257, long, 1, height],
    [258, short, 4, head.length],
    [259, short, 1, 1],
    [262, short, 1, 5],
    [273, long, 1, head.length + depths.length],
    [277, short, 1, 4],
    [278, long, 1, height],
    [279, long, 1, pixels.length],
    [284, short, 1, 1],
  ] as const;
  const directory = Buffer.alloc(2 + 12 * tags.length + 4);
  directory.writeUInt16LE(tags.length);
  for (const [i, [tag, type, count, value]] of tags.entries()) {
    directory.writeUInt16LE(tag, 2 + 12 * i);
    directory.writeUInt16LE(type, 4 + 12 * i);
    directory.writeUInt32LE(count, 6 + 12 * i);
    directory.writeUInt32LE(value, 10 + 12 * i);
  }
  head.writeUInt32LE(head.length + depths.length + pixels.length, 4);
  return Buffer.concat([head, depths, Buffer.from(pixels), directory]);
}

const target = resolve(import.meta.dirname, '../src/tools/optimize-image/codec/cmyk.bin');
writeFileSync(
  target,
  await sharp(tiff(inks, side, side))
    .toColourspace('srgb')
    .raw()
    .toBuffer(),
);
