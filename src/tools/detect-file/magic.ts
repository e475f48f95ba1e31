import start from 'wasmagic/dist/libmagic-wrapper.js';
import program from 'wasmagic/dist/libmagic-wrapper.wasm';

/*
 * libmagic by way of wasmagic's own program. Its class cannot be used: it leaves no way to hand in
 * a compiled module, and workerd compiles none itself.
 */

/** Bytes of a file that libmagic sees; its tests look at the beginning. */
const seen = 1024 * 1024;

/** Of magic.h: MAGIC_MIME_TYPE gives a type, MAGIC_NONE a description. */
const flags = { type: 0x10, description: 0 } as const;
type Answer = keyof typeof flags;

type Library = Awaited<ReturnType<typeof start>>;
/** One library for each kind of answer, since a library gives the kind with which it was loaded. */
const libraries: Partial<Record<Answer, Library>> = {};

/**
 * The MIME type as libmagic, the library behind file(1), has it. With `text/plain` and
 * `application/octet-stream` it says that it knows no more.
 */
export const libmagicType = (bytes: Uint8Array): Promise<string> => ask('type', bytes);

/** The description as file(1) prints it, such as `TIFF image data, little-endian`. */
export const libmagicDescription = (bytes: Uint8Array): Promise<string> =>
  ask('description', bytes);

async function ask(answer: Answer, bytes: Uint8Array): Promise<string> {
  const magic = libraries[answer] ?? (await load(answer));
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
    delete libraries[answer]; // a program that has trapped is in no known state
    throw error;
  } finally {
    magic._free(pointer);
  }
}

async function load(answer: Answer): Promise<Library> {
  const magic = await start({
    instantiateWasm(imports, receive) {
      receive(new WebAssembly.Instance(program, imports));
    },
  });
  const file = 'magic.mgc';
  magic.FS.chdir('/magic');
  const parameters = [flags[answer], file];
  const error = magic.ccall('magic_wrapper_load', 'string', ['number', 'string'], parameters);
  if (error !== '') throw new Error(`libmagic cannot load its tests: ${error}`);
  magic.FS.unlink(file); // 8 MB that are loaded now
  return (libraries[answer] ??= magic);
}
