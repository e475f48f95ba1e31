import type { ConversionAnswer } from '../shared/conversion.ts';
import type { PictureFormat } from '../shared/picture-formats.ts';
import type { Order } from '../tools/optimize-image/job.ts';
import type { StoredFile } from '../storage/storage.ts';
import type { UnreadBody } from '../tools/unread-body.ts';

export interface Conversion {
  answer: Omit<ConversionAnswer, 'files'>;
  /** The files in one stream; each must be read before the next one. */
  files: AsyncIterable<StoredFile>;
}

export interface Picture {
  bytes: Uint8Array;
  format: PictureFormat;
  width: number;
  height: number;
}

/** Converts documents and optimizes pictures that are too large for a Worker. */
export interface Converter {
  /**
   * Converts a document. The body is passed on unchanged: JSON or a form, as `convert-document` takes it.
   * Throws the converter's ServiceError, or `unavailable` when no converter answers.
   */
  convert(body: UnreadBody): Promise<Conversion>;
  /** Optimizes a picture. Throws the same errors as `convert`. */
  optimise(picture: Uint8Array, order: Order): Promise<Picture>;
}
