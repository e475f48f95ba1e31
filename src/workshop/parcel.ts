import { createTarDecoder } from 'modern-tar';
import { packTar } from '../shared/tar.ts';
import type { Link, Storage, StoredFile } from '../storage/storage.ts';

/**
 * The media type of an answer with files. The workshop has no storage, so it sends the front a tar: first a
 * manifest with the output, then the files. The output has a placeholder for each link. The front stores
 * the files and replaces the placeholders by links.
 */
export const parcelType = 'application/x-tar';

interface Manifest {
  /** Random, so that no text of a caller can match a placeholder. */
  id: string;
  output: unknown;
  /** The tar entries after the manifest, in their order. */
  files: { name: string; type: string }[];
}

type HeldFile = Extract<StoredFile, { body: Uint8Array }>;

/** A storage that keeps files in memory. */
interface HoldingStorage extends Storage {
  readonly id: string;
  readonly held: HeldFile[];
}

/** Creates a storage that keeps files in memory, and returns placeholders instead of links. */
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

/**
 * Packs an output and its files as a tar.
 *
 * @param output contains the placeholders that `storage` returned
 */
export function packParcel(output: unknown, storage: HoldingStorage): ReadableStream<Uint8Array> {
  const { id, held } = storage;
  const files = held.map(({ name, type }) => ({ name, type }));
  const manifest = new TextEncoder().encode(JSON.stringify({ id, output, files }));
  const entries = [manifest, ...held.map(({ body }) => body)];
  return packTar(entries.map((bytes, at) => ({ name: String(at), bytes })));
}

/** Stores the files of a parcel while they arrive. Returns the output as JSON, with links to the files. */
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
