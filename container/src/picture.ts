import sharp, { type Sharp } from 'sharp';
import type { PictureFormat } from '../../src/shared/picture-formats.ts';
import type { Order } from '../../src/tools/optimize-image/job.ts';

/** The picture cannot be decoded or encoded; the message gives the cause. */
export class PictureError extends Error {}

export interface Picture {
  bytes: Uint8Array;
  format: PictureFormat;
  width: number;
  height: number;
}

/** sharp's default limit, for which a decoder needs about a gigabyte. */
const maxPixels = 268_402_689;

/** Optimizes a picture that is too large for the Worker's own codecs. Throws PictureError. */
export async function optimise(bytes: Uint8Array, order: Order): Promise<Picture> {
  try {
    const formats = await formatsFor(bytes, order);
    const made = await Promise.all(formats.map((format) => encoded(bytes, format, order)));
    return made.toSorted((a, b) => a.bytes.length - b.bytes.length)[0]!;
  } catch (error) {
    throw new PictureError(`the picture cannot be used: ${(error as Error).message}`);
  }
}

/**
 * Returns the formats to try. For large photographs PNG is never the smallest, so it is tried for PNG and GIF
 * only.
 */
async function formatsFor(bytes: Uint8Array, { output_format }: Order): Promise<PictureFormat[]> {
  if (output_format !== 'auto') return [output_format];
  const { format, hasAlpha } = await sharp(bytes, { limitInputPixels: maxPixels }).metadata();
  const drawn = format === 'png' || format === 'gif' ? (['png'] as const) : [];
  return hasAlpha ? ['webp', ...drawn] : ['webp', 'jpeg', ...drawn];
}

async function encoded(bytes: Uint8Array, format: PictureFormat, order: Order): Promise<Picture> {
  const { max_width: width, strip_metadata } = order;
  let picture = sharp(bytes, { limitInputPixels: maxPixels }).autoOrient();
  if (width > 0) picture = picture.resize({ width, withoutEnlargement: true });
  if (!strip_metadata) picture = picture.keepExif().keepIccProfile().keepXmp();
  const { data, info } = await encoder(picture, format, order.quality).toBuffer({
    resolveWithObject: true,
  });
  return { bytes: data, format, width: info.width, height: info.height };
}

function encoder(picture: Sharp, format: PictureFormat, quality: number): Sharp {
  switch (format) {
    case 'jpeg':
      return picture.flatten({ background: 'white' }).jpeg({ quality, mozjpeg: true });
    case 'webp':
      return picture.webp({ quality });
    case 'png':
      return picture.png({ palette: quality < 100, quality, compressionLevel: 9 });
  }
}
