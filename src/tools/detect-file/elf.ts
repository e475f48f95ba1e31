/** System V ABI, "Program Header" and "Dynamic Section"; DF_1_PIE is a GNU extension. */
const dynamicSegment = 2;
const flags1 = 0x6ffffffb;
const pie = 0x08000000;

/**
 * Whether an ELF file of the shared-object kind is an executable all the same: one that may be
 * loaded anywhere. libmagic looks this up by seeking in a file and cannot do so in a buffer.
 */
export function isPositionIndependentExecutable(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return dynamicFlags(view, bytes[4] === 2, bytes[5] === 1);
  } catch (error) {
    if (error instanceof RangeError) return false; // a header that points outside the file
    throw error;
  }
}

function dynamicFlags(view: DataView, wide: boolean, little: boolean): boolean {
  const word = (at: number) =>
    wide ? Number(view.getBigUint64(at, little)) : view.getUint32(at, little);
  const [headers, size, count] = wide ? [0x20, 0x36, 0x38] : [0x1c, 0x2a, 0x2c];
  const [offsetAt, lengthAt, entry] = wide ? [0x08, 0x20, 16] : [0x04, 0x10, 8];
  for (let i = 0; i < view.getUint16(count, little); i++) {
    const header = word(headers) + i * view.getUint16(size, little);
    if (view.getUint32(header, little) !== dynamicSegment) continue;
    const start = word(header + offsetAt);
    const end = start + word(header + lengthAt);
    for (let at = start; at < end; at += entry) {
      if (word(at) === flags1) return (word(at + entry / 2) & pie) !== 0;
    }
    // There is one such segment at most; a file that says otherwise would be read once for each.
    return false;
  }
  return false;
}
