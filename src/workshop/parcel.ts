import { createTarDecoder, createTarPacker } from 'modern-tar';
import type { Link, Storage, StoredFile } from '../storage/storage.ts';

/**
 * How an answer with files crosses from the workshop, which has no storage: a tar of a manifest and
 * the files. Where the answer will have a link stands a placeholder, which the front replaces when it
 * has stored the file.
 */
export const parcelType = 'application/x-tar';

interface Manifest {
  /** Random, so that nothing in a caller's text can pass for a placeholder. */
  id: string;
  output: unknown;
  /** In the order of the entries after this one. */
  files: { name: string; type: string }[];
}

type HeldFile = Extract<StoredFile, { body: Uint8Array }>;

/** A storage that only holds what is put into it. */
export interface HoldingStorage extends Storage {
  readonly id: string;
  readonly held: HeldFile[];
}

export function holdingStorage(): HoldingStorage {
  const id = crypto.randomUUID();
  const held: HeldFile[] = [];
  return {
    id,
    held,
    async put(file) {
      if ('size' in file) throw new Error('a stream cannot be held');
      return placeholder(id, held.push(file) - 1);
    },
  };
}

const placeholder = (id: string, place: number): Link => ({
  url: `${id}:${place}:url`,
  expires_at: `${id}:${place}:expires_at`,
});

/** @param output with the placeholders that `storage` gave */
export function packParcel(output: unknown, storage: HoldingStorage): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const { id, held } = storage;
  const files = held.map(({ name, type }) => ({ name, type }));
  const manifest = new TextEncoder().encode(JSON.stringify({ id, output, files }));
  void (async () => {
    for (const [at, bytes] of [manifest, ...held.map(({ body }) => body)].entries()) {
      const header = { name: String(at), size: bytes.length, type: 'file' } as const;
      const writer = controller.add(header).getWriter();
      await writer.write(bytes);
      await writer.close();
    }
    controller.finalize();
  })().catch((error: unknown) => controller.error(error));
  return readable;
}

/** Stores the files of a parcel as they arrive. Returns its output as JSON, with links to them. */
export async function openParcel(
  parcel: ReadableStream<Uint8Array>,
  storage: Storage,
): Promise<string> {
  const entries = parcel.pipeThrough(createTarDecoder({ strict: true }))[Symbol.asyncIterator]();
  const nextEntry = async () => {
    const entry = await entries.next();
    if (entry.done) throw new Error('the parcel ends too early');
    return entry.value;
  };
  const { id, output, files } = await new Response((await nextEntry()).body).json<Manifest>();
  const links = new Map<unknown, string>();
  for (const [place, file] of files.entries()) {
    const { header, body } = await nextEntry();
    const link = await storage.put({ ...file, body, size: header.size });
    const { url, expires_at } = placeholder(id, place);
    links.set(url, link.url).set(expires_at, link.expires_at);
  }
  return JSON.stringify(output, (_key, value: unknown) => links.get(value) ?? value);
}
