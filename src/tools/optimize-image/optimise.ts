import { CodecError, type Picture } from './codec.ts';
import { holds, share, startJob, type Format, type Job, type Order } from './job.ts';
import { optimisePng } from './oxipng.ts';
import { withoutMetadata } from './png.ts';

export interface Made {
  bytes: Uint8Array;
  format: Format;
}

/**
 * oxipng takes up to 7 times the raw pixels at level 2, and up to 4.5 times at level 1: 28 MB here,
 * which with the pictures' memory makes 100.
 */
const oxipngLevels = [
  { raw: 4e6, level: 2 },
  { raw: 6.3e6, level: 1 },
];
/** A photo has this many colours within a few rows, and nothing without loss can win. */
const photo = 16_384;
/** How far below the quality asked for a palette may stay; beyond it one sees the difference. */
const paletteSlack = 15;
/**
 * libwebp's effort, 0 to 6. 4 is its default; 6 is 3 % smaller in 1.3 times the time, but takes a
 * minute for transparency; without loss, more than 2 is not worth the time.
 */
const effort = { usual: 4, auto: 6, autoTransparent: 5, lossless: 2 };

/**
 * Makes a picture smaller: all candidates one after another, of which the smallest wins.
 *
 * Throws ServiceError: 422 for what is no picture, damaged, animated, or cannot be had in the
 * format asked for; 413 for one that needs more memory than there is.
 */
export function optimise(file: Uint8Array, order: Order): Made & { width: number; height: number } {
  const job = startJob(file, order);
  const { header, size } = job;
  const [best] = candidates(job).toSorted((a, b) => a.bytes.length - b.bytes.length);
  if (!best) throw job.refusal();
  return {
    ...best,
    ...(header.orientation > 4 ? { width: size.height, height: size.width } : size),
  };
}

/** The file itself, where its pixels are what was asked for; less its metadata if that has to go. */
function ownFile({ file, header, order, resized, attempt }: Job): Made | undefined {
  const { format } = header;
  if (format !== 'png' && format !== 'jpeg' && format !== 'webp') return undefined;
  if (![format, 'auto'].includes(order.output_format)) return undefined;
  if (resized || header.orientation !== 1) return undefined;
  if (!order.strip_metadata) return { format, bytes: file };
  // Without its profile the pixels would mean other colours.
  if (format === 'png' && header.profile === 0) return { format, bytes: withoutMetadata(file) };
  return attempt((p) => p.hasMetadata()) === false ? { format, bytes: file } : undefined;
}

function candidates(job: Job): Made[] {
  const { quality, output_format: asked } = job.order;
  const wants = (format: Format) =>
    asked === format || (asked === 'auto' && holds(format, job.size));
  const made: Made[] = [];
  const add = (
    format: Format,
    perPixel: number,
    encode: (p: Picture) => Uint8Array,
    hold = job.held,
  ): boolean => {
    const bytes = job.attempt(encode, perPixel, hold);
    if (bytes) made.push({ format, bytes });
    return bytes !== undefined;
  };

  if (wants('webp')) {
    const most = job.header.channels === 4 ? effort.autoTransparent : effort.auto;
    const method = asked === 'auto' ? most : effort.usual;
    const webp = (lean: boolean) => (p: Picture) => p.webp(quality, method, lean);
    if (!add('webp', share.webp, webp(false))) add('webp', share.leanWebp, webp(true), false);
  }
  // Transparency is known by now, unless JPEG is what was asked for; then it becomes white.
  if (asked === 'jpeg' || (wants('jpeg') && !job.attempt((p) => p.isTransparent()))) {
    if (!add('jpeg', share.jpeg, (p) => p.jpeg(quality))) {
      add('jpeg', share.sequentialJpeg, (p) => p.jpeg(quality, true));
    }
  }
  const drawing = asked === 'auto' && isDrawing(job);
  const png = drawing || asked === 'png' ? job.attempt((p) => flatPng(job, p)) : undefined;
  if (job.held && (asked === 'webp' ? hasColours(job, 256) : drawing && wants('webp'))) {
    add('webp', 0, (p) => p.webpLossless(effort.lossless));
  }
  if (png) made.push({ format: 'png', bytes: smallestPng(png) });
  const own = made.length > 0 ? ownFile(job) : undefined;
  return own ? [...made, own] : made;
}

const hasColours = (job: Job, most: number) => job.attempt((p) => p.colours(most + 1) <= most);

/** Whether a format without loss can win; a large picture is judged by the file that it came in. */
const isDrawing = (job: Job): boolean | undefined =>
  job.held
    ? hasColours(job, photo)
    : job.header.format === 'png' && job.size.width * job.size.height > 4 * job.file.length;

interface Png {
  bytes: Uint8Array;
  /** Bytes of the pixels before compression. */
  raw: number;
}

/** As a palette where that is not seen, else with all colours; the picture then shows the same. */
function flatPng(job: Job, picture: Picture): Png {
  const { header, order, size } = job;
  const pixels = size.width * size.height;
  // Sixteen bits are there for a reason, and only the file's own pixels still have them.
  if (job.held && !header.deep) {
    const exact = picture.colours(257) <= 256;
    const most = exact ? 100 : order.quality;
    const least = exact ? 100 : Math.max(order.quality - paletteSlack, 0);
    if ((exact || order.quality < 100) && picture.quantise(least, most)) {
      const bytes = picture.palettePng(6);
      picture.applyPalette();
      return { bytes, raw: pixels };
    }
  }
  const raw = pixels * header.channels * (header.deep ? 2 : 1);
  const own = header.format === 'png' ? ownFile(job)?.bytes : undefined;
  // A held picture was decoded, and so is known to be sound.
  if (own && job.held) return { bytes: own, raw };
  // Only a held picture can be turned.
  if (!job.held && header.orientation !== 1) throw new CodecError('out of memory', 'not held');
  const bytes = picture.png(6);
  return { bytes: own && (header.deep || own.length < bytes.length) ? own : bytes, raw };
}

function smallestPng({ bytes, raw }: Png): Uint8Array {
  const level = oxipngLevels.find((step) => raw <= step.raw)?.level;
  if (level === undefined) return bytes;
  try {
    return optimisePng(bytes, level);
  } catch (error) {
    // It has trapped before where it worked elsewhere; what it was given is a good PNG all the same.
    console.error('oxipng failed', error);
    return bytes;
  }
}
