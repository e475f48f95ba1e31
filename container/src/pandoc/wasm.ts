import { Directory, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';
import { PandocError, type Files, type Pandoc } from './engine.ts';

/** The exports of pandoc-wasm: GHC's runtime, and pandoc's `convert`, which reads and writes files. */
interface Program {
  memory: WebAssembly.Memory;
  __wasm_call_ctors(): void;
  malloc(bytes: number): number;
  hs_init_with_rtsopts(argc: number, argv: number): void;
  /** Runs pandoc. The arguments are the address and the length of its options, JSON in UTF-8. */
  convert(options: number, length: number): void;
}

/** Files that the program uses for input and output. The caller's files cannot have these names. */
export const reserved = ['stdin', 'stdout', 'stderr', 'warnings'];

/** Bytes of memory above which an instance is replaced after a conversion. */
const recycleMemoryBytes = 512 * 1024 * 1024;

/** Largest file in bytes. This much address space is reserved, not memory. */
const maxFileBytes = 256 * 1024 * 1024;

/** Grows files in place. The shim's own `fd_write` copies the whole file for every write. */
OpenFile.prototype.fd_write = function (data) {
  const { file } = this;
  const end = Number(this.file_pos) + data.length;
  if (end > maxFileBytes) return { ret: 27, nwritten: 0 };
  if (end > file.data.length) {
    if (!(file.data.buffer as ArrayBuffer).resizable) {
      const copy = new Uint8Array(
        new ArrayBuffer(file.data.length, { maxByteLength: maxFileBytes }),
      );
      copy.set(file.data);
      file.data = copy;
    }
    (file.data.buffer as ArrayBuffer).resize(end);
  }
  file.data.set(data, Number(this.file_pos));
  this.file_pos = BigInt(end);
  return { ret: 0, nwritten: data.length };
};

/**
 * Returns pandoc as a WebAssembly program, which has access only to the files of its job.
 *
 * @param heap bytes of heap for one conversion
 */
export function wasmPandoc(module: WebAssembly.Module, heap: number): Pandoc {
  const root = new Map<string, File | Directory>();
  let program: Program | undefined;
  const text = (name: string) => new TextDecoder().decode(contentOf(root.get(name) as File));

  function run(options: object): void {
    try {
      program ??= start(module, root, heap);
      const json = new TextEncoder().encode(JSON.stringify(options));
      const at = program.malloc(json.length);
      new Uint8Array(program.memory.buffer, at, json.length).set(json);
      program.convert(at, json.length);
    } catch (error) {
      // The program trapped or exited, so its memory is in an unknown state.
      program = undefined;
      throw new PandocError(text('stderr') || String(error));
    }
    if (text('stderr')) throw new PandocError(text('stderr'));
  }

  return {
    convert({ options, input = new Uint8Array(), files = {} }) {
      for (const [path, bytes] of Object.entries(files)) put(root, path, bytes);
      for (const name of reserved) root.set(name, new File([]));
      (root.get('stdin') as File).data = input;
      try {
        run(options);
        return {
          output: contentOf(root.get('stdout') as File),
          files: Object.fromEntries(newFiles(root, files)),
          warnings: JSON.parse(text('warnings') || '[]') as unknown[],
        };
      } finally {
        root.clear();
        // WebAssembly memory never shrinks. A new instance takes 0.2 s.
        if (program && program.memory.buffer.byteLength > recycleMemoryBytes) program = undefined;
      }
    },
  };
}

/** Starts GHC's runtime. Its arguments are written to its memory as a C argument vector. */
function start(
  module: WebAssembly.Module,
  root: Map<string, File | Directory>,
  heap: number,
): Program {
  // A larger nursery (-A) saves a tenth of the time for a long manual. -M turns exhausted memory into an error.
  const args = ['pandoc', '+RTS', '-A64m', `-M${heap}`, '-RTS'];
  const wasi = new WASI(
    args,
    [],
    [
      ...Array.from({ length: 3 }, () => new OpenFile(new File([]))),
      new PreopenDirectory('/', root),
    ],
    { debug: false },
  );
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
  const program = instance.exports as unknown as Program;
  wasi.initialize(instance as Parameters<WASI['initialize']>[0]);
  program.__wasm_call_ctors();
  const words = (values: number[]) => {
    const at = program.malloc(4 * values.length);
    const view = new DataView(program.memory.buffer);
    for (const [i, value] of values.entries()) view.setUint32(at + 4 * i, value, true);
    return at;
  };
  const strings = args.map((arg) => {
    const bytes = new TextEncoder().encode(`${arg}\0`);
    const at = program.malloc(bytes.length);
    new Uint8Array(program.memory.buffer, at, bytes.length).set(bytes);
    return at;
  });
  program.hs_init_with_rtsopts(words([args.length]), words([words([...strings, 0])]));
  return program;
}

function put(root: Map<string, File | Directory>, path: string, bytes: Uint8Array): void {
  const folders = path.split('/');
  const name = folders.pop()!;
  let at = root;
  for (const folder of folders) {
    let next = at.get(folder);
    if (!(next instanceof Directory)) at.set(folder, (next = new Directory(new Map())));
    at = next.contents as typeof root;
  }
  const file = new File([], { readonly: true });
  file.data = bytes;
  at.set(name, file);
}

/** Yields the files that are not in `known`. */
function* newFiles(
  folder: Map<string, unknown>,
  known: Files,
  prefix = '',
): Generator<[string, Uint8Array]> {
  for (const [name, entry] of folder) {
    const path = prefix + name;
    if (entry instanceof Directory) yield* newFiles(entry.contents, known, `${path}/`);
    else if (!(path in known) && !reserved.includes(path)) yield [path, contentOf(entry as File)];
  }
}

/** Returns a copy. A resizable buffer can be neither decoded nor transferred to another thread. */
const contentOf = (file: File): Uint8Array => file.data.slice();
