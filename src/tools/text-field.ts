import { z } from 'zod';

/** Characters of a text to be worked on by an engine; a long novel has as many. */
const longest = 1_000_000;

export const textField = z
  .string()
  .max(longest, `must have at most ${longest} characters`)
  .regex(/\S/, 'must not be blank')
  .describe('Plain text or Markdown, in any language');

export const engineField = z
  .string()
  .describe(
    'Engine that wrote the text: `offline`, or a provider and its model, such as `workers-ai:…`',
  );

export const engineHeader = { 'X-Text-Engine': 'engine' } as const;
