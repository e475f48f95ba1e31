import { z } from 'zod';
import { inputFormats, outputFormats } from './document-formats.ts';
import { metadata } from './document-metadata.ts';

/** The JSON part of the converter's answer. Each `file` is an index into `files`. */
export const answerShape = z.object({
  /** The format that the document was read as. Missing from a converter of an earlier version. */
  from: z.enum(inputFormats).optional(),
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
