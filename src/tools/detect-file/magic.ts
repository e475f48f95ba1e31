import start from 'wasmagic/dist/libmagic-wrapper.js';
import program from 'wasmagic/dist/libmagic-wrapper.wasm';

/*
 * libmagic by way of wasmagic's own program. Its class cannot be used: it leaves no way to hand in
 * a compiled module, and workerd compiles none itself.
 */

/** Bytes of a file that libmagic sees; its tests look at the beginning. */
const seen = 1024 * 1024;

/** MAGIC_MIME_TYPE of magic.h */
const mimeType = 0x10;

type Library = Awaited<ReturnType<typeof start>>;
let library: Library | undefined;

/**
 * The MIME type as libmagic, the library behind file(1), has it. With `text/plain` and
 * `application/octet-stream` it says that it knows no more.
 */
export async function libmagicType(bytes: Uint8Array): Promise<string> {
  const magic = library ?? (await load());
  const input = bytes.subarray(0, seen);
  const pointer = magic._malloc(input.length);
  try {
    magic.HEAPU8.set(input, pointer);
    return magic.ccall(
      'magic_wrapper_detect',
      'string',
      ['number', 'number'],
      [pointer, input.length],
    );
  } catch (error) {
    library = undefined; // a program that has trapped is in no known state
    throw error;
  } finally {
    magic._free(pointer);
  }
}

async function load(): Promise<Library> {
  const magic = await start({
    instantiateWasm(imports, receive) {
      receive(new WebAssembly.Instance(program, imports));
    },
  });
  const file = 'magic.mgc';
  magic.FS.chdir('/magic');
  const error = magic.ccall('magic_wrapper_load', 'string', ['number', 'string'], [mimeType, file]);
  if (error !== '') throw new Error(`libmagic cannot load its tests: ${error}`);
  magic.FS.unlink(file); // 8 MB that are loaded now
  library ??= magic;
  return magic;
}
