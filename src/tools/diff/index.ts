import { FILE_HEADERS_ONLY, formatPatch } from 'diff';
import { z } from 'zod';
import { defineTool, price } from '../tool.ts';
import { changesOf, diffLines, hunksOf, type Block, type LineDiff } from './lines.ts';

const change = z.object({
  type: z.enum(['insert', 'delete', 'equal']),
  text: z.string().describe('One line, without its line feed'),
});
const hunk = z.object({
  original_start: z.int().describe('From 1; of an empty range the line before'),
  original_count: z.int(),
  modified_start: z.int(),
  modified_count: z.int(),
  changes: z.array(change),
});

export const diff = defineTool({
  name: 'diff',
  summary: 'Compare two texts line by line',
  description: `By Myers' algorithm. The unified form is what \`patch\` and \`git apply\` take, with CR LF and
a missing last line feed kept. Equal texts give the two header lines and no hunks.`,
  credits: price.standard,
  input: z.object({
    original: z.string(),
    modified: z.string(),
    format: z.enum(['unified', 'changes']).default('unified'),
    context_lines: z
      .int()
      .min(0)
      .max(20)
      .default(3)
      .describe('Equal lines around changes; unified only'),
  }),
  output: z.object({
    stats: z.object({ additions: z.int(), deletions: z.int() }),
    diff: z.string().optional().describe('unified only'),
    hunks: z.array(hunk).optional().describe('unified only'),
    changes: z.array(change).optional().describe('changes only'),
  }),
  examples: [
    { title: 'unified', input: { original: 'a\nb\nc\n', modified: 'a\nB\nc\n' } },
    { title: 'changes', input: { original: 'one', modified: 'two', format: 'changes' } },
  ],
  run({ original, modified, format, context_lines }) {
    const diff = diffLines(original, modified);
    const stats = { additions: diff.additions, deletions: diff.deletions };
    if (format === 'changes') {
      return { stats, changes: diff.blocks.flatMap((block) => changesOf(diff, block)) };
    }
    const hunks = hunksOf(diff, context_lines);
    return {
      stats,
      diff: toPatch(diff, hunks),
      hunks: hunks.map((blocks) => ({
        ...rangeOf(blocks),
        changes: blocks.flatMap((block) => changesOf(diff, block)),
      })),
    };
  },
});

/** Where a hunk lies, as GNU diff counts: an empty range starts at the line before it. */
function rangeOf(blocks: Block[]) {
  const [first, last] = [blocks[0]!, blocks.at(-1)!];
  const original_count = last.aEnd - first.aStart;
  const modified_count = last.bEnd - first.bStart;
  return {
    original_start: first.aStart + (original_count > 0 ? 1 : 0),
    original_count,
    modified_start: first.bStart + (modified_count > 0 ? 1 : 0),
    modified_count,
  };
}

function toPatch(diff: LineDiff, hunks: Block[][]): string {
  const patch = {
    oldFileName: 'original',
    newFileName: 'modified',
    oldHeader: undefined,
    newHeader: undefined,
    hunks: hunks.map((blocks) => {
      const range = rangeOf(blocks);
      return {
        // The formatter itself moves empty ranges to the line before.
        oldStart: blocks[0]!.aStart + 1,
        oldLines: range.original_count,
        newStart: blocks[0]!.bStart + 1,
        newLines: range.modified_count,
        lines: blocks.flatMap((block) => patchLines(diff, block)),
      };
    }),
  };
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

function patchLines({ a, b }: LineDiff, block: Block): string[] {
  const lines = (sign: string, source: string[]) =>
    source.flatMap((line) =>
      line.endsWith('\n')
        ? [sign + line.slice(0, -1)]
        : [sign + line, '\\ No newline at end of file'],
    );
  const before = a.slice(block.aStart, block.aEnd);
  if (block.equal) return lines(' ', before);
  return [...lines('-', before), ...lines('+', b.slice(block.bStart, block.bEnd))];
}
