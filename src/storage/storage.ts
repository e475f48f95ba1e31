/** A result that the caller gets as a link and not in the JSON. */
export type StoredFile = {
  /** File name for downloads. */
  name: string;
  /** MIME type. */
  type: string;
} & ({ body: Uint8Array } | { body: ReadableStream<Uint8Array>; /** Bytes. */ size: number });

export interface Link {
  url: string;
  /** ISO 8601. */
  expires_at: string;
}

/** Stores files until their links expire. */
export interface Storage {
  /** Stores a file. Throws ServiceError `unavailable` when that fails. */
  put(file: StoredFile): Promise<Link>;
}
