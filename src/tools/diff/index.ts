import { z } from 'zod';
import { defineTool, price } from '../tool.ts';

const change = z.object({
  type: z.enum(['insert', 'delete', 'equal']),
  text: z.string().describe('One line, without the line feed'),
  no_newline_at_end: z
    .literal(true)
    .optional()
    .describe('Set on the last line of a text without a last line feed, if the other text has one'),
});
const hunk = z.object({
  original_start: z.int().describe('Counts from 1; for an empty range the line before it'),
  original_count: z.int(),
  modified_start: z.int(),
  modified_count: z.int(),
  changes: z.array(change),
});

const input = () =>
  z.object({
    original: z.string(),
    modified: z.string(),
    format: z.enum(['unified', 'changes']).default('unified'),
    context_lines: z
      .int()
      .min(0)
      .max(20)
      .default(3)
      .describe('Unchanged lines around changes; unified only'),
  });
export type Input = z.output<ReturnType<typeof input>>;

export const diff = defineTool({
  name: 'diff',
  summary: 'Compare two texts line by line',
  description: `Uses Myers' algorithm. \`patch\` and \`git apply\` accept the unified format; CR LF and a missing
last line feed are preserved. Lines that differ in their last line feed only are a deletion and an insertion of equal
text, one of which has \`no_newline_at_end\`. For equal texts, \`diff\` has the two header lines and no hunks.`,
  credits: price.standard,
  runsIn: 'workshop',
  seconds: 10,
  get input() {
    return input();
  },
  get output() {
    return z.object({
      stats: z.object({ additions: z.int(), deletions: z.int() }),
      diff: z.string().optional().describe('unified only'),
      hunks: z.array(hunk).optional().describe('unified only'),
      changes: z.array(change).optional().describe('changes only'),
    });
  },
  examples: [
    { title: 'unified', input: { original: 'a\nb\nc\n', modified: 'a\nB\nc\n' } },
    { title: 'changes', input: { original: 'one', modified: 'two', format: 'changes' } },
  ],
  run: async (input) => (await import('#workshop/tools/diff/run.ts')).run(input),
});
