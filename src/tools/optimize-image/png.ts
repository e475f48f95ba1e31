/** Chunks that say how pixels look; all other ancillary ones only tell about them. */
const visible = new Set(['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'sBIT', 'bKGD', 'pHYs']);
/** What tells about them and goes with the new picture, and the mark of an animation. */
const told = new Set(['eXIf', 'acTL']);
const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const xmpKeyword = 'XML:com.adobe.xmp\0';
/** Chunks of text: XMP stands in iTXt, and libvips writes it in zTXt. */
const texts = new Set(['iTXt', 'zTXt', 'tEXt']);

/** A chunk (PNG 3rd edition, 5.3), with where the next one begins. */
interface Chunk {
  type: string;
  critical: boolean;
  start: number;
  end: number;
}

/** Ends before a chunk that is cut off. */
function* chunks(png: Uint8Array): Generator<Chunk> {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  let end: number;
  for (let start = signature.length; start + 12 <= png.length; start = end) {
    end = start + 12 + view.getUint32(start);
    if (end > png.length) return;
    const type = String.fromCharCode(...png.subarray(start + 4, start + 8));
    yield { type, critical: (png[start + 4]! & 0x20) === 0, start, end };
  }
}

/** A PNG without its EXIF, XMP, texts, times and private chunks (PNG 3rd edition, 5.3 and 5.4). */
export function withoutMetadata(png: Uint8Array): Uint8Array {
  const parts = [png.subarray(0, signature.length)];
  for (const { type, critical, start, end } of chunks(png)) {
    if (critical || visible.has(type)) parts.push(png.subarray(start, end));
  }
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Takes out the chunks that have no effect on the result, in place, and answers the size that is
 * left. libpng unpacks every compressed text, up to 8 MB each, again for each decoding, and 10 MB
 * have room for 1,300 of them. At most one XMP and one profile remain. What is no PNG is left alone.
 */
export function withoutTexts(file: Uint8Array): number {
  if (!signature.every((byte, i) => file[i] === byte)) return file.length;
  const seen = new Set<string>();
  let size = signature.length;
  let next = signature.length;
  for (const chunk of chunks(file)) {
    const { type, start, end } = chunk;
    next = end;
    if (!hasEffect(file, chunk)) continue;
    const isText = texts.has(type);
    if (isText || type === 'iCCP') {
      const kind = isText ? 'XMP' : type;
      if (seen.has(kind)) continue;
      seen.add(kind);
    }
    file.copyWithin(size, start, end);
    size += end - start;
    if (type === 'IEND') break;
  }
  // What is cut off or follows the end is for the codec to refuse.
  file.copyWithin(size, next);
  return size + file.length - next;
}

function hasEffect(file: Uint8Array, { type, critical, start }: Chunk): boolean {
  if (critical || visible.has(type) || told.has(type)) return true;
  const at = start + 8;
  return texts.has(type) && [...xmpKeyword].every((c, i) => file[at + i] === c.charCodeAt(0));
}
