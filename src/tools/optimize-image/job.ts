import { ServiceError, invalidInput, tooLarge } from '../../errors.ts';
import { pictureFormats, type PictureFormat } from '../../shared/picture-formats.ts';
import { CodecError, memoryFor, openPicture, type Header, type Picture } from './codec.ts';
import { decodingTime, mostTime, type Detail } from './time.ts';

export interface Order {
  output_format: PictureFormat | 'auto';
  quality: number;
  /** 0 for as wide as it is. */
  max_width: number;
  strip_metadata: boolean;
}

/** More than this takes seconds to decode, whatever becomes of it. */
const mostPixels = 100e6;
/** And more than this nobody decodes: it is sharp's own limit. */
const mostAnywhere = 268_402_689;
/** What the program needs for any picture, beside pixels. */
const fixedMemory = 5e6;
/** Bytes a pixel that an encoder takes, its own planes included (bench/image-memory.ts). */
export const share = {
  png: 2,
  webp: 4.5,
  // The plane of transparency goes through libwebp's lossless encoder.
  transparentWebp: 28,
  leanWebp: 2.4,
  jpeg: 4.7,
  sequentialJpeg: 1.7,
};

/** What work on a picture will take; nothing is begun that cannot end well. */
export interface Need {
  /** Bytes a pixel. */
  memory?: number;
  /** Milliseconds a megapixel, where every row is asked for; without it the work is a mere question. */
  time?: number;
  /** False to do without the kept picture, where memory is short. */
  hold?: boolean;
}

/** Detail costs memory too: a JPEG is kept until it is whole, and libwebp keeps all tokens. */
export const jpegShare = (detail: Detail): number => Math.max(share.jpeg, 4.3 + 3 * detail);
export const webpShare = (detail: Detail): number => Math.max(share.webp, 15 * Math.min(detail, 1));

/** A picture on its way, with what it takes to open it again. */
export interface Job {
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
   */
  attempt<T>(work: (picture: Picture) => T, need?: Need): T | undefined;
  /** Milliseconds a megapixel that an encoder may still take, decoding paid. */
  paceLeft(hold?: boolean): number;
  /** Milliseconds a megapixel of decoding once more, where the picture is not held. */
  decodingPace: number;
  /** Gives back milliseconds a megapixel that work did not take. */
  repay(time: number): void;
  /** Why nothing could be made. */
  refusal(): ServiceError;
}

/**
 * Reads the header. Throws ServiceError: 422 for what is no picture or cannot be had as asked, 413
 * for one that has too many pixels.
 */
export function startJob(file: Uint8Array, order: Order): Job {
  let picture: Picture | undefined = open(file);
  let prepared: 'held' | 'streaming' | undefined;
  let failure: CodecError | undefined;
  const { header } = picture;
  checkHeader(header);
  const size = targetSize(header, order.max_width);
  checkSides(size, order.output_format);
  const pixels = size.width * size.height;
  const fits = (bytes: number) => file.length + bytes + fixedMemory <= memoryFor(file);
  const frame = pixels * header.channels;
  const format = order.output_format === 'auto' ? 'jpeg' : order.output_format;
  const held = fits(frame + Math.max(pixels * share[format], header.buffered));
  const resized = size.width !== header.width || size.height !== header.height;
  const megapixels = pixels / 1e6;
  const decoding = decodingTime(header, file.length, resized);
  let timeLeft = mostTime;
  /** A kept picture is paid for once. */
  const decodingFor = (hold: boolean) => (hold && picture && prepared === 'held' ? 0 : decoding);
  const shortage = ({ memory = 0, time, hold = held }: Need): CodecError | undefined => {
    if (!fits((hold ? frame : 0) + pixels * memory)) {
      return new CodecError('out of memory', 'too many pixels');
    }
    const cost = time === undefined && !hold ? 0 : decodingFor(hold) + (time ?? 0) * megapixels;
    if (cost > timeLeft) return new CodecError('out of time', 'too many pixels');
    timeLeft -= cost;
    return undefined;
  };
  return {
    file,
    order,
    header,
    size,
    resized,
    held,
    paceLeft: (hold = held) => (timeLeft - decodingFor(hold)) / megapixels,
    decodingPace: held ? 0 : decoding / megapixels,
    repay(time) {
      timeLeft += time * megapixels;
    },
    attempt(work, need = {}) {
      const lack = shortage(need);
      if (lack) {
        failure = lack;
        return undefined;
      }
      try {
        const hold = need.hold ?? held;
        const state = hold ? 'held' : 'streaming';
        if (!picture || (prepared && prepared !== state)) {
          picture = open(file);
          prepared = undefined;
        }
        if (!prepared) {
          picture.prepare(size.width, size.height, !order.strip_metadata);
          if (hold) picture.hold();
          prepared = state;
        }
        return work(picture);
      } catch (error) {
        failure = refused(error);
        picture = undefined;
        prepared = undefined;
        return undefined;
      }
    },
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
    case 'out of time':
      return tooLarge(
        `the picture${size ? ` at ${size.width} × ${size.height}` : ''} takes too much time; ` +
          'make it smaller with max_width, or send a smaller file',
      );
    default:
      return invalidInput('content', 'the picture cannot be decoded');
  }
}

function checkHeader({ format, width, height }: Header) {
  if (format === 'unknown') {
    throw invalidInput('content', 'must be a PNG, JPEG, WebP or GIF picture');
  }
  if (width * height > mostAnywhere) {
    throw invalidInput('content', `has ${width} × ${height} pixels; the most is 268 megapixels`);
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

/** Whether a format can hold pictures of this size. */
export const holds = (format: PictureFormat, { width, height }: Job['size']): boolean =>
  Math.max(width, height) <= pictureFormats[format].maxSidePixels;

function checkSides(size: Job['size'], format: Order['output_format']) {
  if (format !== 'auto' && !holds(format, size)) {
    const most = pictureFormats[format].maxSidePixels.toLocaleString('en');
    throw invalidInput('output_format', `${format} holds at most ${most} pixels a side`);
  }
}
