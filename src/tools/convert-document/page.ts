import { z } from 'zod';

const margin = z.number().min(0).max(60);
const text = z.string().max(200);

/** A header or a footer. A string stands in the middle. */
const line = z
  .union([
    text,
    z.object({ left: text.optional(), center: text.optional(), right: text.optional() }),
  ])
  .transform((value) => (typeof value === 'string' ? { center: value } : value));

/** The pages of a PDF. */
export const page = z.object({
  size: z
    .enum(['a3', 'a4', 'a5', 'b5', 'letter', 'legal', 'tabloid'])
    .optional()
    .describe(
      'Paper size; the default is `papersize` in the metadata of the document, or else `a4`',
    ),
  landscape: z.boolean().default(false).describe('Turns the paper to its long side'),
  margin: z
    .union([
      margin,
      z.object({
        top: margin.optional(),
        right: margin.optional(),
        bottom: margin.optional(),
        left: margin.optional(),
      }),
    ])
    .default({})
    .transform((given) => {
      const {
        top = 25,
        right = 25,
        bottom = 25,
        left = 25,
      } = typeof given === 'number'
        ? { top: given, right: given, bottom: given, left: given }
        : given;
      return { top, right, bottom, left };
    })
    .describe('Millimetres for all sides, or by side; a side that is not named has 25'),
  header: line
    .optional()
    .describe(
      'Text at the top of every page, in the middle or by place; `{page}`, `{pages}` and `{title}` are replaced',
    ),
  footer: line
    .optional()
    .describe('Text at the bottom of every page, as in `header`; it replaces the page number'),
  page_numbers: z
    .boolean()
    .default(true)
    .describe('Numbers the pages of a document with more than one page, if there is no `footer`'),
});

export type Page = z.output<typeof page>;

/** Standards of PDF for archives and for accessibility. */
export const pdfStandards = [
  'a-1b',
  'a-2b',
  'a-2u',
  'a-2a',
  'a-3b',
  'a-3u',
  'a-3a',
  'a-4',
  'ua-1',
] as const;

export type PdfStandard = (typeof pdfStandards)[number];
