import { compare } from './myers.ts';

export interface Change {
  type: 'insert' | 'delete' | 'equal';
  text: string;
  no_newline_at_end?: true;
}

/** Consecutive lines that are all equal or all changed. Ends are exclusive. */
export interface Block {
  equal: boolean;
  aStart: number;
  aEnd: number;
  bStart: number;
  bEnd: number;
}

export interface LineDiff {
  /** Lines with their line feeds. Only the last line may have none. */
  a: string[];
  b: string[];
  blocks: Block[];
  additions: number;
  deletions: number;
}

/** Compares two texts line by line. A line ends with LF; a CR before it belongs to the line. */
export function diffLines(original: string, modified: string): LineDiff {
  const [a, b] = [splitLines(original), splitLines(modified)];
  const numbers = new Map<string, number>();
  const changed = compare(numbered(a, numbers), numbered(b, numbers));
  return {
    a,
    b,
    blocks: blocksOf(changed.a, changed.b),
    additions: count(changed.b),
    deletions: count(changed.a),
  };
}

function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start) + 1 || text.length;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

function numbered(lines: string[], numbers: Map<string, number>): Int32Array {
  const result = new Int32Array(lines.length);
  // A loop, because Int32Array.from takes 1.5 times as long, which would be a tenth of the whole call.
  for (const [i, line] of lines.entries()) {
    const known = numbers.get(line) ?? numbers.size;
    if (known === numbers.size) numbers.set(line, known);
    result[i] = known;
  }
  return result;
}

const count = (flags: Uint8Array) => flags.reduce((sum, flag) => sum + flag, 0);

function blocksOf(a: Uint8Array, b: Uint8Array): Block[] {
  const blocks: Block[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [aStart, bStart] = [i, j];
    while (i < a.length && j < b.length && !a[i] && !b[j]) {
      i++;
      j++;
    }
    if (i > aStart) blocks.push({ equal: true, aStart, aEnd: i, bStart, bEnd: j });
    const [aChange, bChange] = [i, j];
    while (a[i]) i++;
    while (b[j]) j++;
    if (i > aChange || j > bChange) {
      blocks.push({ equal: false, aStart: aChange, aEnd: i, bStart: bChange, bEnd: j });
    }
  }
  return blocks;
}

const endsLine = (line: string) => line.endsWith('\n');

/** Returns the lines of a block without line feeds, deletions before insertions. */
export function changesOf({ a, b }: LineDiff, block: Block): Change[] {
  const endsDiffer = a.length > 0 && b.length > 0 && endsLine(a.at(-1)!) !== endsLine(b.at(-1)!);
  const items = (type: Change['type'], lines: string[]) =>
    lines.map((line): Change => {
      if (endsLine(line)) return { type, text: line.slice(0, -1) };
      return { type, text: line, ...(endsDiffer && { no_newline_at_end: true }) };
    });
  const before = a.slice(block.aStart, block.aEnd);
  if (block.equal) return items('equal', before);
  return [...items('delete', before), ...items('insert', b.slice(block.bStart, block.bEnd))];
}

/** Groups blocks into hunks, with at most `context` equal lines around each change. */
export function hunksOf({ blocks }: LineDiff, context: number): Block[][] {
  const hunks: Block[][] = [];
  for (const [i, block] of blocks.entries()) {
    if (block.equal) {
      const [first, last] = [i === 0, i === blocks.length - 1];
      const short = block.aEnd - block.aStart <= 2 * context;
      if (!first && !last && short) hunks.at(-1)!.push(block);
      else {
        if (!first) hunks.at(-1)!.push(...head(block, context));
        if (!last) hunks.push(tail(block, context));
      }
    } else if (i === 0) hunks.push([block]);
    else hunks.at(-1)!.push(block);
  }
  return hunks;
}

const head = (block: Block, lines: number): Block[] => {
  const length = Math.min(lines, block.aEnd - block.aStart);
  if (length === 0) return [];
  return [{ ...block, aEnd: block.aStart + length, bEnd: block.bStart + length }];
};

const tail = (block: Block, lines: number): Block[] => {
  const length = Math.min(lines, block.aEnd - block.aStart);
  if (length === 0) return [];
  return [{ ...block, aStart: block.aEnd - length, bStart: block.bEnd - length }];
};
