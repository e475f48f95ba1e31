/** A result too large or too binary for JSON, handed out by a link. */
export type StoredFile = {
  /** What a browser saves it as. */
  name: string;
  /** MIME type. */
  type: string;
} & ({ body: Uint8Array } | { body: ReadableStream<Uint8Array>; /** Bytes. */ size: number });

export interface Link {
  url: string;
  /** ISO 8601. */
  expires_at: string;
}

/** Keeps files until their link expires. */
export interface Storage {
  /** Throws ServiceError `unavailable` when the file cannot be kept. */
  put(file: StoredFile): Promise<Link>;
}
