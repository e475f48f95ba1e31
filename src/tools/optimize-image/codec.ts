import program from './codec.wasm';
import { withoutTexts } from './png.ts';

/** Formats by the numbers that codec/image.h gives them. */
const formats = ['unknown', 'png', 'jpeg', 'webp', 'gif'] as const;

export interface Header {
  format: (typeof formats)[number];
  /** As stored, before orientation. */
  width: number;
  height: number;
  /** EXIF orientation, 1 to 8; above 4 width and height are swapped in what one sees. */
  orientation: number;
  /** Of decoded rows: 3 for RGB, 4 when there is an alpha channel. */
  channels: number;
  /** Stored as CMYK; the rows are RGB all the same. */
  cmyk: boolean;
  /** 16 bits a sample. */
  deep: boolean;
  /** Bytes that decoding keeps until the last row. */
  buffered: number;
  /** Bytes of the ICC profile. */
  profile: number;
}

/** Why a picture could not be finished, as codec/image.h numbers them; time is only counted here. */
const failures = [
  'trapped',
  'damaged',
  'unsupported',
  'out of memory',
  'encoder',
  'out of time',
] as const;

export class CodecError extends Error {
  readonly failure: (typeof failures)[number];

  constructor(failure: CodecError['failure'], message: string) {
    super(message);
    this.failure = failure;
  }
}

/** What codec/*.c exports; pointers and sizes are numbers, a `result` points to a `struct bytes`. */
interface Exports extends WebAssembly.Exports {
  _initialize(): void;
  limit_memory(bytes: number): void;
  alloc(size: number): number;
  release(pointer: number): void;
  inspect(data: number, size: number): number;
  prepare(width: number, height: number, keepMetadata: boolean): void;
  hold(): void;
  is_transparent(): number;
  has_metadata(): number;
  colours(most: number): number;
  encode_jpeg(quality: number, sequential: boolean): number;
  encode_webp(quality: number, method: number, lean: boolean): number;
  encode_webp_lossless(method: number): number;
  encode_png(level: number): number;
  quantise(least: number, most: number): number;
  apply_palette(): void;
  encode_palette(level: number): number;
}

export type Picture = ReturnType<typeof openPicture>;

const page = 65_536;
/** Bytes that the program is built for (codec/build.sh). */
const mostMemory = 88 * 1024 * 1024;
/** What a picture may take of the 128 MB of an isolate; libmagic alone keeps 28 MB. */
const isolateShare = 100e6;
/** A memory that grew beyond this is let go by `closePictures`. */
const keptMemory = 70 * 1024 * 1024;

/** Bytes for the picture of a file, which lies there twice, as base64 in a body and as bytes. */
export const memoryFor = (file: Uint8Array): number =>
  Math.min(mostMemory, isolateShare - (file.length * 7) / 3 - 2e6);

/**
 * The memory of all pictures, one after another. One of each one's own would be freed only when
 * garbage is collected, and count against the isolate until then: ten photos came to 680 MB.
 */
let memory: WebAssembly.Memory | undefined;

/** Ends the picture that is open, if there is one. */
export function closePictures() {
  if (memory && memory.buffer.byteLength > keptMemory) memory = undefined;
}

/**
 * Opens a picture in a new program. There is one at a time: a picture ends when the next is opened,
 * and with a CodecError. Throws CodecError when the header is damaged.
 */
export function openPicture(file: Uint8Array, limit = memoryFor(file)) {
  const { buffer } = (memory ??= new WebAssembly.Memory({
    initial: 64,
    maximum: mostMemory / page,
  }));
  // Nothing of the picture before, nor of what the program knew about it.
  new Uint8Array(buffer).fill(0);
  const codec = new WebAssembly.Instance(program, imports(memory)).exports as Exports;
  codec._initialize();
  codec.limit_memory(Math.max(limit, buffer.byteLength));
  const data = guard(() => codec.alloc(file.length));
  const bytes = new Uint8Array(memory.buffer, data, file.length);
  bytes.set(file);
  const size = withoutTexts(bytes);
  const header = readHeader(
    memory,
    guard(() => codec.inspect(data, size)),
  );

  /** Copies a result out and gives its memory back. */
  const take = (encode: () => number): Uint8Array => {
    const pointer = guard(encode);
    const [at, size] = new Uint32Array(memory!.buffer, pointer, 2) as Pair;
    const result = new Uint8Array(memory!.buffer, at, size).slice();
    codec.release(at);
    return result;
  };

  return {
    header,
    /** The size to make, before orientation, and whether EXIF, XMP and profile stay. Comes first. */
    prepare: (width: number, height: number, keepMetadata: boolean) =>
      guard(() => codec.prepare(width, height, keepMetadata)),
    /** Decodes the whole picture once, for all encoders. Without it each of them decodes anew. */
    hold: () => guard(codec.hold),
    /** How many colours a held picture has; counts no further than `most`. */
    colours: (most: number) => guard(() => codec.colours(most)),
    /** Whether any pixel is transparent; known after `hold` or an encoder. */
    isTransparent: () => codec.is_transparent() !== 0,
    /** Whether the file has EXIF, XMP, a profile, comments …; known by then too. */
    hasMetadata: () => codec.has_metadata() !== 0,
    /** Bytes of the memory, which never shrinks: the most that this or an earlier picture took. */
    memory: () => memory!.buffer.byteLength,

    /** Progressive mozjpeg with trellis quantisation; sequential is larger and needs less memory. */
    jpeg: (quality: number, sequential = false) =>
      take(() => codec.encode_jpeg(quality, sequential)),
    /** @param method libwebp's effort, 0 to 6 @param lean takes half the memory and twice the time */
    webp: (quality: number, method: number, lean = false) =>
      take(() => codec.encode_webp(quality, method, lean)),
    /** Of a held picture. */
    webpLossless: (method: number) => take(() => codec.encode_webp_lossless(method)),
    /** Every pixel as it is. @param level zlib's */
    png: (level: number) => take(() => codec.encode_png(level)),
    /** Of a held picture: up to 256 colours; false when that cannot be done at `least` quality. */
    quantise: (least: number, most: number) => guard(() => codec.quantise(least, most)) !== 0,
    /** Shows the palette's colours to the other encoders. */
    applyPalette: () => guard(codec.apply_palette),
    /** The quantised picture. */
    palettePng: (level: number) => take(() => codec.encode_palette(level)),
  };
}

type Pair = Uint32Array & { 0: number; 1: number };

/** A trap, too, is a failure of this one picture. */
function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      throw new CodecError('trapped', error.message);
    }
    throw error;
  }
}

function readHeader({ buffer }: WebAssembly.Memory, pointer: number): Header {
  const fields = new Uint32Array(buffer, pointer, 17);
  const [format, width, height, orientation, channels, , cmyk, deep, buffered] =
    fields as unknown as number[];
  return {
    format: formats[format!]!,
    width: width!,
    height: height!,
    orientation: orientation!,
    channels: channels!,
    cmyk: cmyk !== 0,
    deep: deep !== 0,
    buffered: buffered!,
    profile: fields[16]!,
  };
}

/** `fail` of the program, and just enough of WASI for a C library that opens no file. */
function imports(memory: WebAssembly.Memory): WebAssembly.Imports {
  const text = (at: number) => {
    const bytes = new Uint8Array(memory.buffer);
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  };
  const badFileDescriptor = 8;
  return {
    env: {
      memory,
      fail(failure: number, message: number) {
        throw new CodecError(failures[failure] ?? 'encoder', text(message));
      },
    },
    wasi_snapshot_preview1: new Proxy({}, { get: () => () => badFileDescriptor }),
  };
}
