import { z } from 'zod';
import { outputFormats } from '../tools/convert-document/formats.ts';
import { metadata } from '../tools/convert-document/metadata.ts';
import type { PictureFormat } from '../shared/picture-formats.ts';
import type { Order } from '../tools/optimize-image/job.ts';
import type { StoredFile } from '../storage/storage.ts';
import type { UnreadBody } from '../tools/unread-body.ts';

/** The JSON part of the converter's answer. Each `file` is an index into `files`. */
export const answerShape = z.object({
  /** The results in the order of the requested formats. */
  results: z
    .array(
      z.object({
        format: z.enum(outputFormats),
        size_bytes: z.int(),
        output: z.string().optional(),
        file: z.int().optional(),
      }),
    )
    .min(1),
  /** The files in the tar, in the order of its entries. */
  files: z.array(z.object({ name: z.string(), type: z.string() })),
  media: z.array(z.object({ path: z.string(), file: z.int() })),
  warnings: z.array(z.string()),
  metadata: metadata.optional(),
  jats: z.string().optional(),
  markdown: z.string().optional(),
});
export type ConversionAnswer = z.infer<typeof answerShape>;

/** Header with the caller's account, percent-encoded. The converter's queue is fair between accounts. */
export const accountHeader = 'X-Account';

/** Name of the first entry of the converter's tar, the JSON. The files follow it. */
export const answerName = 'answer.json';

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
