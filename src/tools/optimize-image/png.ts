/** Chunks that say how pixels look; all other ancillary ones only tell about them. */
const visible = new Set(['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'sBIT', 'bKGD', 'pHYs']);

/** A PNG without its EXIF, XMP, texts, times and private chunks (PNG 3rd edition, 5.3 and 5.4). */
export function withoutMetadata(png: Uint8Array): Uint8Array {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  const kept = [png.subarray(0, 8)];
  for (let at = 8; at + 12 <= png.length;) {
    const end = at + 12 + view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    const critical = (png[at + 4]! & 0x20) === 0;
    if (critical || visible.has(type)) kept.push(png.subarray(at, end));
    at = end;
  }
  return new Uint8Array(Buffer.concat(kept));
}
