import { z } from 'zod';

/** What a document says of itself. */
export const metadata = z.object({
  title: z.string().optional(),
  subtitle: z.string().optional(),
  authors: z
    .array(
      z.object({
        name: z.string(),
        affiliations: z.array(z.string()).optional(),
        email: z.string().optional(),
        orcid: z.string().optional().describe('Such as 0000-0002-1825-0097'),
        corresponding: z.boolean().optional(),
      }),
    )
    .optional(),
  abstract: z.string().optional(),
  keywords: z.array(z.string()).optional(),
  date: z.string().optional().describe('As the document has it'),
  language: z.string().optional(),
  license: z.string().optional(),
  doi: z.string().optional(),
  references: z.array(z.record(z.string(), z.unknown())).optional().describe('CSL-JSON'),
});

export type Metadata = z.infer<typeof metadata>;
