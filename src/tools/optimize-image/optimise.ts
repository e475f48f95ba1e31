import { closePictures, CodecError, type Picture } from './codec.ts';
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
/** A WebP of fewer bytes a pixel has next to nothing in it. */
const flat = 0.02;
/**
 * libwebp's effort, 0 to 6. 4 is its default; 6 is 3 % smaller in 1.3 times the time, but took 22 s
 * for 2 transparent megapixels; without loss, more than 2 is not worth the time.
 */
const effort = { usual: 4, auto: 6, autoTransparent: 5, lossless: 2 };

/**
 * Makes a picture smaller: all candidates one after another, of which the smallest wins.
 *
 * Throws ServiceError: 422 for what is no picture, damaged, animated, or cannot be had in the
 * format asked for; 413 for one that needs more memory than there is.
 */
export function optimise(file: Uint8Array, order: Order): Made & { width: number; height: number } {
  try {
    const job = startJob(file, order);
    const { header, size } = job;
    const [best] = candidates(job).toSorted((a, b) => a.bytes.length - b.bytes.length);
    if (!best) throw job.refusal();
    return {
      ...best,
      ...(header.orientation > 4 ? { width: size.height, height: size.width } : size),
    };
  } finally {
    closePictures();
  }
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
  const { output_format: asked } = job.order;
  const wants = (format: Format) =>
    asked === format || (asked === 'auto' && holds(format, job.size));
  const made = wants('webp') ? lossyWebp(job) : [];
  // Transparency is known by now, unless JPEG is what was asked for; then it becomes white.
  if (asked === 'jpeg' || (wants('jpeg') && !job.attempt((p) => p.isTransparent()))) {
    made.push(...jpeg(job));
  }
  made.push(...fewColours(job, wants('webp')));
  const own = made.length > 0 ? ownFile(job) : undefined;
  return own ? [...made, own] : made;
}

/** None, when the encoder failed. */
function encode(job: Job, format: Format, ...attempt: Parameters<typeof job.attempt<Uint8Array>>) {
  const bytes = job.attempt(...attempt);
  return bytes ? [{ format, bytes }] : [];
}

function webp(job: Job, method: number): Made[] {
  const { quality } = job.order;
  const transparent = job.held && job.attempt((p) => p.isTransparent());
  const perPixel = transparent ? share.transparentWebp : share.webp;
  const usual = encode(job, 'webp', (p) => p.webp(quality, method), perPixel);
  if (usual.length > 0) return usual;
  return encode(job, 'webp', (p) => p.webp(quality, method, true), share.leanWebp, false);
}

function lossyWebp(job: Job): Made[] {
  if (job.order.output_format === 'webp') return webp(job, effort.usual);
  const made = webp(job, job.header.channels === 4 ? effort.autoTransparent : effort.auto);
  const { width, height } = job.size;
  const isFlat = made.some(({ bytes }) => bytes.length < flat * width * height);
  // More effort is lost on what is nearly flat, and may even cost bytes.
  return isFlat ? [...made, ...webp(job, effort.usual)] : made;
}

function jpeg(job: Job): Made[] {
  const { quality } = job.order;
  const progressive = encode(job, 'jpeg', (p) => p.jpeg(quality), share.jpeg);
  if (progressive.length > 0) return progressive;
  return encode(job, 'jpeg', (p) => p.jpeg(quality, true), share.sequentialJpeg);
}

/** The formats without loss, where they can win: PNG and WebP of a palette, or of every colour. */
function fewColours(job: Job, wantsWebp: boolean): Made[] {
  const { output_format: asked } = job.order;
  const drawing = asked === 'auto' && isDrawing(job);
  const losslessWebp = () => encode(job, 'webp', (p) => p.webpLossless(effort.lossless));
  const exact = wantsWebp && hasColours(job, 256) ? losslessWebp() : [];
  if (!drawing && asked !== 'png') return exact;
  const png = palette(job) ?? job.attempt((p) => truePng(job, p));
  // Now of the palette.
  const reduced = job.held && drawing && wantsWebp ? losslessWebp() : [];
  return [...exact, ...reduced, ...(png ? [smallestPng(png)] : [])];
}

const hasColours = ({ held, attempt }: Job, most: number) =>
  held && attempt((p) => p.colours(most + 1) <= most);

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

/** Where a palette is not seen; the picture then shows it. */
function palette({ header, held, order, size, attempt }: Job): Png | undefined {
  // Sixteen bits are there for a reason, and only the file's own pixels still have them.
  if (!held || header.deep) return undefined;
  const bytes = attempt((p) => palettePng(p, order.quality));
  return bytes && { bytes, raw: size.width * size.height };
}

/** With all colours. */
function truePng(job: Job, picture: Picture): Png {
  const { header, size } = job;
  const raw = size.width * size.height * header.channels * (header.deep ? 2 : 1);
  const own = header.format === 'png' ? ownFile(job)?.bytes : undefined;
  // A held picture was decoded, and so is known to be sound.
  if (own && job.held) return { bytes: own, raw };
  // Only a held picture can be turned.
  if (!job.held && header.orientation !== 1) throw new CodecError('out of memory', 'not held');
  const bytes = picture.png(6);
  return { bytes: own && (header.deep || own.length < bytes.length) ? own : bytes, raw };
}

/** The smaller of a palette that has every colour and one of the quality asked for. */
function palettePng(picture: Picture, quality: number): Uint8Array | undefined {
  const exact = picture.colours(257) <= 256 && picture.quantise(100, 100);
  const whole = exact ? picture.palettePng(6) : undefined;
  if (quality === 100 || !picture.quantise(Math.max(quality - paletteSlack, 0), quality)) {
    return whole;
  }
  const fewer = picture.palettePng(6);
  if (whole && whole.length <= fewer.length) return whole;
  picture.applyPalette();
  return fewer;
}

function smallestPng({ bytes, raw }: Png): Made {
  const format = 'png';
  const level = oxipngLevels.find((step) => raw <= step.raw)?.level;
  if (level === undefined) return { format, bytes };
  try {
    return { format, bytes: optimisePng(bytes, level) };
  } catch (error) {
    // It has trapped before where it worked elsewhere; what it was given is a good PNG all the same.
    console.error('oxipng failed', error);
    return { format, bytes };
  }
}
