import { isPictureFormat, type PictureFormat } from '../../shared/picture-formats.ts';
import { closePictures, type Picture } from './codec.ts';
import {
  holds,
  jpegShare,
  share,
  startJob,
  webpShare,
  type Job,
  type Need,
  type Order,
} from './job.ts';
import { optimisePng } from './oxipng.ts';
import { withoutMetadata } from './png.ts';
import * as time from './time.ts';

export interface Made {
  bytes: Uint8Array;
  format: PictureFormat;
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
  if (!isPictureFormat(format)) return undefined;
  if (![format, 'auto'].includes(order.output_format)) return undefined;
  if (resized || header.orientation !== 1) return undefined;
  if (!order.strip_metadata) return { format, bytes: file };
  // Without its profile the pixels would mean other colours.
  if (format === 'png' && header.profile === 0) return { format, bytes: withoutMetadata(file) };
  return attempt((p) => p.hasMetadata()) === false ? { format, bytes: file } : undefined;
}

function candidates(job: Job): Made[] {
  const { output_format: asked } = job.order;
  const wants = (format: PictureFormat) =>
    asked === format || (asked === 'auto' && holds(format, job.size));
  const probe = probed(job);
  // Unless JPEG is what was asked for; then transparency becomes white.
  const wantsJpeg = asked === 'jpeg' || (wants('jpeg') && !isTransparent(job));
  const drawing = asked === 'auto' && isDrawing(job);
  const others = [wantsJpeg ? progressive(job, probe) : 0, drawing ? withoutLoss(job, probe) : 0];
  const made = wants('webp') ? lossyWebp(job, probe, reserve(job, others)) : [];
  if (wantsJpeg) made.push(...jpeg(job, probe));
  made.push(...fewColours(job, probe, { drawing, wantsWebp: wants('webp') }));
  const own = made.length > 0 ? ownFile(job) : undefined;
  return own ? [...made, own] : made;
}

/** What is known of a picture before the costly encoders. */
interface Probe {
  detail: time.Detail;
  /** Of the quality asked for, or at least of `probeQuality`. */
  sequential: Made[];
}

/** A coarser JPEG does not see what the other encoders spend their time on. */
const probeQuality = 85;

function probed(job: Job): Probe {
  const { output_format: asked, quality } = job.order;
  const { width, height } = job.size;
  // Then nothing but zlib is left.
  const useless = asked === 'png' && !job.held;
  if (useless || !holds('jpeg', job.size)) return { detail: time.mostDetail, sequential: [] };
  const sequential = sequentialJpeg(job, Math.max(quality, probeQuality));
  const [made] = sequential;
  return { detail: made ? made.bytes.length / (width * height) : time.mostDetail, sequential };
}

const isTransparent = ({ attempt }: Job) => attempt((p) => p.isTransparent()) !== false;

/** None, when the encoder failed. */
function encode(
  job: Job,
  format: PictureFormat,
  work: (picture: Picture) => Uint8Array,
  need: Need,
) {
  const bytes = job.attempt(work, need);
  return bytes ? [{ format, bytes }] : [];
}

/** What later candidates will take, of those that can be had at all; milliseconds a megapixel. */
const reserve = (job: Job, times: number[]) =>
  times
    .filter((time) => time > 0)
    .map((time) => time + job.decodingPace)
    .reduce((sum, time) => (sum + time <= job.paceLeft() ? sum + time : sum), 0);

/** At most of that effort, and of less where time is short; `reserved` milliseconds a megapixel stay. */
function webp(job: Job, { detail }: Probe, effort: number, reserved: number): Made[] {
  const { quality } = job.order;
  const transparent = job.header.channels === 4 && isTransparent(job);
  const attempt = (lean: boolean, memory: number) => {
    const hold = job.held && !lean;
    const methods = time.webpMethods(effort, { detail, transparent, lean });
    const best = methods.find((m) => m.time <= job.paceLeft(hold) - reserved);
    const need = { memory, time: best?.time ?? Infinity, hold };
    return encode(job, 'webp', (p) => p.webp(quality, best?.method ?? 0, lean), need);
  };
  const usual = attempt(false, transparent ? share.transparentWebp : webpShare(detail));
  return usual.length > 0 ? usual : attempt(true, share.leanWebp);
}

function lossyWebp(job: Job, probe: Probe, reserved: number): Made[] {
  if (job.order.output_format === 'webp') return webp(job, probe, effort.usual, reserved);
  const most = job.header.channels === 4 ? effort.autoTransparent : effort.auto;
  const made = webp(job, probe, most, reserved);
  const { width, height } = job.size;
  const isFlat = made.some(({ bytes }) => bytes.length < flat * width * height);
  // More effort is lost on what is nearly flat, and may even cost bytes.
  return isFlat ? [...made, ...webp(job, probe, effort.usual, reserved)] : made;
}

const progressive = ({ order }: Job, { detail }: Probe) =>
  time.progressiveTime(detail, Math.min(order.quality / probeQuality, 1));

function jpeg(job: Job, probe: Probe): Made[] {
  const { quality } = job.order;
  const need = { memory: jpegShare(probe.detail), time: progressive(job, probe) };
  const made = encode(job, 'jpeg', (p) => p.jpeg(quality), need);
  if (made.length > 0) return made;
  return quality >= probeQuality ? probe.sequential : sequentialJpeg(job, quality);
}

const sequentialJpeg = (job: Job, quality: number): Made[] =>
  encode(job, 'jpeg', (p) => p.jpeg(quality, true), {
    memory: share.sequentialJpeg,
    time: time.sequentialTime,
  });

interface Wanted {
  /** Whether a format without loss can win. */
  drawing: boolean | undefined;
  wantsWebp: boolean;
}

/** What the formats without loss take together, about. */
function withoutLoss(job: Job, { detail }: Probe): number {
  if (job.held) return 2 * (time.losslessWebpTime(detail) + time.paletteTime(detail, true));
  return time.fastestZlib.time(job.file.length, rawSize(job)) * job.header.channels;
}

/** The formats without loss, where they can win: PNG and WebP of a palette, or of every colour. */
function fewColours(job: Job, probe: Probe, { drawing, wantsWebp }: Wanted): Made[] {
  const need = { time: time.losslessWebpTime(probe.detail) };
  const losslessWebp = () => encode(job, 'webp', (p) => p.webpLossless(effort.lossless), need);
  const exact = wantsWebp && hasColours(job, 256) ? losslessWebp() : [];
  if (!drawing && job.order.output_format !== 'png') return exact;
  const png = palette(job, probe) ?? truePng(job);
  // Now of the palette.
  const reduced = job.held && drawing && wantsWebp ? losslessWebp() : [];
  return [...exact, ...reduced, ...(png ? [smallestPng(job, png)] : [])];
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
function palette(job: Job, probe: Probe): Png | undefined {
  // Sixteen bits are there for a reason, and only the file's own pixels still have them.
  if (!job.held || job.header.deep) return undefined;
  const bytes = palettePng(job, probe);
  return bytes && { bytes, raw: job.size.width * job.size.height };
}

/** The smaller of a palette that has every colour and one of the quality asked for. */
function palettePng(job: Job, { detail }: Probe): Uint8Array | undefined {
  const { quality } = job.order;
  const drawing = isDrawing(job) === true;
  const need = { time: time.paletteTime(detail, drawing) };
  const packed = (least: number, most: number) => {
    // Where it is refused, there has to be time for all colours.
    if (need.time + slowestZlib(job) > job.paceLeft()) return undefined;
    const made = job.attempt((p) => p.quantise(least, most) && p.palettePng(6), need);
    if (made === false) job.repay(need.time - time.noPaletteTime(detail, drawing));
    return made || undefined;
  };
  const whole = hasColours(job, 256) ? packed(100, 100) : undefined;
  const fewer = quality < 100 ? packed(Math.max(quality - paletteSlack, 0), quality) : undefined;
  if (!fewer || (whole && whole.length <= fewer.length)) return whole;
  job.attempt((p) => p.applyPalette());
  return fewer;
}

/** With all colours. */
function truePng(job: Job): Png | undefined {
  const { header } = job;
  const raw = rawSize(job) * (header.deep ? 2 : 1);
  const own = header.format === 'png' ? ownFile(job)?.bytes : undefined;
  // A held picture was decoded, and so is known to be sound.
  if (own && job.held && job.attempt(() => true)) return { bytes: own, raw };
  const bytes = packedPng(job);
  if (!bytes) return undefined;
  return { bytes: own && (header.deep || own.length < bytes.length) ? own : bytes, raw };
}

/** zlib's level where there is time; beyond 6 nothing is gained that oxipng does not gain. */
const mostZlib = 6;

/** Bytes of the pixels as the codec hands them on. */
const rawSize = ({ header, size }: Job) => size.width * size.height * header.channels;

const slowestZlib = (job: Job) => time.fastestZlib.time(1, 1) * job.header.channels;

/** Of zlib's best level that there is time for. */
function packedPng(job: Job): Uint8Array | undefined {
  const { header, file } = job;
  const bytesPerPixel = header.channels;
  const raw = rawSize(job);
  // Only a held picture can be turned.
  const hold = job.held || header.orientation !== 1;
  const packed = (level: number, perMegabyte: number) =>
    job.attempt((p) => p.png(level), {
      memory: hold ? share.png : 0,
      time: perMegabyte * bytesPerPixel,
      hold,
    });
  const best = time.zlibTimes.find((z) => z.time * bytesPerPixel <= job.paceLeft(hold));
  if (best?.level === mostZlib) return packed(best.level, best.time);
  const { level, time: fastest } = time.fastestZlib;
  const first = best
    ? packed(best.level, best.time)
    : packed(level, fastest(header.format === 'png' ? file.length : raw, raw));
  const again = first && packed(mostZlib, time.zlibAgainTime(first.length, raw));
  return again ?? first;
}

function smallestPng(job: Job, { bytes, raw }: Png): Made {
  const format = 'png';
  const level = oxipngLevels.find((step) => raw <= step.raw)?.level;
  const { width, height } = job.size;
  const pace = time.oxipngTime(raw, height) / ((width * height) / 1e6);
  if (level === undefined || pace > job.paceLeft()) return { format, bytes };
  try {
    return { format, bytes: optimisePng(bytes, level) };
  } catch (error) {
    // It has trapped before where it worked elsewhere; what it was given is a good PNG all the same.
    console.error('oxipng failed', error);
    return { format, bytes };
  }
}
