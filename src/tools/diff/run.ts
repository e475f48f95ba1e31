import { FILE_HEADERS_ONLY, formatPatch } from 'diff';
import type { Input } from './index.ts';
import { changesOf, diffLines, hunksOf, type Block, type LineDiff } from './lines.ts';

export function run({ original, modified, format, context_lines }: Input) {
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
}

/** Returns the ranges of a hunk as GNU diff counts: an empty range starts at the line before it. */
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
        // The formatter subtracts 1 from the start of an empty range.
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
