import { z } from 'zod';
import { outputFormats } from '../tools/convert-document/formats.ts';
import { metadata } from '../tools/convert-document/metadata.ts';
import type { Format, Order } from '../tools/optimize-image/job.ts';
import type { StoredFile } from '../storage/storage.ts';
import type { UnreadBody } from '../tools/unread-body.ts';

/** What the converter says beside the files; a `file` is a place in their order. */
export const answerShape = z.object({
  /** The one that was asked for first. */
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
  /** The entries after this one. */
  files: z.array(z.object({ name: z.string(), type: z.string() })),
  media: z.array(z.object({ path: z.string(), file: z.int() })),
  warnings: z.array(z.string()),
  metadata: metadata.optional(),
  jats: z.string().optional(),
  markdown: z.string().optional(),
});
export type Answer = z.infer<typeof answerShape>;

/** Names the account of a call, percent-encoded: waiting calls take turns by account. */
export const accountHeader = 'X-Account';

/** The first entry of the converter's answer, which is a tar; the files follow it. */
export const answerName = 'answer.json';

export interface Conversion {
  answer: Omit<Answer, 'files'>;
  /** To be taken one after the other: they arrive in one stream. */
  files: AsyncIterable<StoredFile>;
}

export interface Picture {
  bytes: Uint8Array;
  format: Format;
  width: number;
  height: number;
}

/** Converts documents, and pictures that are too large for a Worker, somewhere else. */
export interface Converter {
  /**
   * Hands a request's body on as it came: JSON or a form, as `convert-document` takes them.
   * Throws the converter's ServiceError, or `unavailable` when there is none that answers.
   */
  convert(body: UnreadBody): Promise<Conversion>;
  /** Makes a picture smaller. Throws as `convert` does. */
  optimise(picture: Uint8Array, order: Order): Promise<Picture>;
}
