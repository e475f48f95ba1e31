import { ServiceError, invalidInput, tooLarge } from '../../errors.ts';
import { CodecError, mostMemory, openPicture, type Header, type Picture } from './codec.ts';
import { optimisePng } from './oxipng.ts';
import { withoutMetadata } from './png.ts';

export type Format = 'png' | 'jpeg' | 'webp';

export interface Order {
  output_format: Format | 'auto';
  quality: number;
  /** 0 for as wide as it is. */
  max_width: number;
  strip_metadata: boolean;
}

export interface Made {
  bytes: Uint8Array;
  format: Format;
}

/** More than this takes seconds to decode, whatever becomes of it. */
const mostPixels = 100e6;
/** What a format can say of its sides. */
const longestSide = { webp: 16_383, jpeg: 65_500, png: Infinity };
/** What the program needs for any picture, beside pixels. */
const fixedMemory = 5e6;
/** Bytes a pixel that an encoder takes, its own planes included (bench/image-memory.ts). */
const share = { png: 2, webp: 4.5, leanWebp: 2.4, jpeg: 4.7, sequentialJpeg: 1.7 };
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
/** libwebp's effort: its default for pixels with loss; without loss, more is not worth the time. */
const effort = { lossy: 4, lossless: 2 };

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
  const upright = header.orientation > 4 ? { width: size.height, height: size.width } : size;
  const format = outputFormat(header);
  const sameFormat = format && [format, 'auto'].includes(order.output_format);
  const nothingElse =
    !job.resized && header.orientation === 1 && !(order.strip_metadata && header.metadata > 0);
  const original = sameFormat && nothingElse && best.bytes.length >= file.length;
  return original ? { bytes: file, format, ...upright } : { ...best, ...upright };
}

/** A picture on its way, with what it takes to open it again. */
interface Job {
  file: Uint8Array;
  order: Order;
  header: Header;
  /** To make, before orientation. */
  size: { width: number; height: number };
  resized: boolean;
  /** Whether the picture is decoded once and kept, or anew for each encoder. */
  held: boolean;
  /**
   * Works on the picture. Undefined when an encoder failed, which costs no more than its own
   * candidate: the next one gets a new program. What is wrong with the file itself is thrown.
   *
   * @param perPixel bytes that it will take; nothing is begun that cannot end well
   */
  attempt<T>(work: (picture: Picture) => T, perPixel?: number): T | undefined;
  /** Lets the program and its memory go. */
  close(): void;
  /** Why nothing could be made. */
  refusal(): ServiceError;
}

function startJob(file: Uint8Array, order: Order): Job {
  let picture: Picture | undefined = open(file);
  let started = false;
  let failure: CodecError | undefined;
  const { header } = picture;
  checkHeader(header);
  const size = targetSize(header, order.max_width);
  checkSides(size, order.output_format);
  const pixels = size.width * size.height;
  const fits = (bytes: number) => file.length + bytes + fixedMemory <= mostMemory;
  const frame = pixels * header.channels;
  const format = order.output_format === 'auto' ? 'jpeg' : order.output_format;
  const held = fits(frame + Math.max(pixels * share[format], header.buffered));
  const close = () => {
    picture = undefined;
    started = false;
  };
  return {
    file,
    order,
    header,
    size,
    resized: size.width !== header.width || size.height !== header.height,
    held,
    attempt(work, perPixel = 0) {
      try {
        if (!fits((held ? frame : 0) + pixels * perPixel)) {
          throw new CodecError('out of memory', 'too many pixels');
        }
        picture ??= open(file);
        if (!started) {
          picture.prepare(size.width, size.height, !order.strip_metadata);
          if (held) picture.hold();
          started = true;
        }
        return work(picture);
      } catch (error) {
        failure = refused(error);
        close();
        return undefined;
      }
    },
    close,
    refusal: () => refusalOf(failure, size),
  };
}

function open(file: Uint8Array): Picture {
  try {
    return openPicture(file);
  } catch (error) {
    throw refusalOf(refused(error));
  }
}

/** A failure of the program's; throws on what is the file's fault, or ours. */
function refused(error: unknown): CodecError {
  if (!(error instanceof CodecError)) throw error;
  if (error.failure === 'damaged' || error.failure === 'unsupported') throw refusalOf(error);
  return error;
}

function refusalOf(error: CodecError | undefined, size?: Job['size']): ServiceError {
  switch (error?.failure) {
    case 'damaged':
      return invalidInput('content', `the picture is damaged: ${error.message}`);
    case 'unsupported':
      return invalidInput('content', `the picture cannot be used: it ${error.message}`);
    case 'out of memory':
      return tooLarge(
        `the picture${size ? ` at ${size.width} × ${size.height}` : ''} needs more memory than there is; ` +
          'make it smaller with max_width, or send it as baseline JPEG',
      );
    default:
      return invalidInput('content', 'the picture cannot be decoded');
  }
}

function checkHeader({ format, width, height }: Header) {
  if (format === 'unknown') {
    throw invalidInput('content', 'must be a PNG, JPEG, WebP or GIF picture');
  }
  if (width * height > mostPixels) {
    throw tooLarge(`the picture has ${width} × ${height} pixels; the most is 100 megapixels`);
  }
}

/** Never larger than it is; the width counts as one sees it, after orientation. */
function targetSize({ width, height, orientation }: Header, maxWidth: number) {
  const seen = orientation > 4 ? height : width;
  if (maxWidth === 0 || seen <= maxWidth) return { width, height };
  const scaled = (side: number) => Math.max(1, Math.round((side * maxWidth) / seen));
  return { width: scaled(width), height: scaled(height) };
}

function checkSides({ width, height }: Job['size'], format: Order['output_format']) {
  if (format !== 'auto' && Math.max(width, height) > longestSide[format]) {
    const most = longestSide[format].toLocaleString('en');
    throw invalidInput('output_format', `${format} holds at most ${most} pixels a side`);
  }
}

const outputFormat = ({ format }: Header): Format | undefined =>
  format === 'png' || format === 'jpeg' || format === 'webp' ? format : undefined;

function candidates(job: Job): Made[] {
  const { quality, output_format: asked } = job.order;
  const longest = Math.max(job.size.width, job.size.height);
  const wants = (format: Format) =>
    asked === format || (asked === 'auto' && longest <= longestSide[format]);
  const made: Made[] = [];
  const add = (format: Format, perPixel: number, encode: (p: Picture) => Uint8Array): boolean => {
    const bytes = job.attempt(encode, perPixel);
    if (bytes) made.push({ format, bytes });
    return bytes !== undefined;
  };

  if (wants('webp')) {
    const webp = (lean: boolean) => (p: Picture) => p.webp(quality, effort.lossy, lean);
    if (!add('webp', share.webp, webp(false))) add('webp', share.leanWebp, webp(true));
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
  // The last, so that the program can go and leave its memory to oxipng.
  job.close();
  if (png) made.push({ format: 'png', bytes: smallestPng(png) });
  return made;
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
  if (keepsPixels(job)) {
    return { bytes: order.strip_metadata ? withoutMetadata(job.file) : job.file, raw };
  }
  // Only a held picture can be turned.
  if (!job.held && header.orientation !== 1) throw new CodecError('out of memory', 'not held');
  return { bytes: picture.png(6), raw };
}

const keepsPixels = ({ header, order, resized }: Job) =>
  header.format === 'png' &&
  !resized &&
  header.orientation === 1 &&
  !(order.strip_metadata && header.profile > 0);

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
