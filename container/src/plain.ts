import { apiVersion, noAttributes, type Node } from './pandoc/ast.ts';

/** A line break after a line of at least this many characters counts as word wrap. */
const minWrappedCharacters = 50;
/** A line with columns, or a horizontal rule. */
const aligned = /\S {3,}\S|\t\S|^\s*[-=+|_]{3}[-=+|_ ]*$/m;

/**
 * Converts plain text to pandoc's JSON, because pandoc has no reader for plain text. Empty lines separate
 * paragraphs. Breaks after short lines are kept, breaks by word wrap are not. Paragraphs with columns become
 * code blocks, which keeps their alignment.
 */
export function plainDocument(text: string): string {
  const paragraphs = text.split(/\r?\n(?:[^\S\n]*\r?\n)+/).filter((one) => one.trim());
  const blocks: Node[] = [];
  for (const paragraph of paragraphs) {
    const last = blocks.at(-1);
    const block = blockOf(paragraph.replaceAll('\r\n', '\n').trimEnd());
    if (block.t === 'CodeBlock' && last?.t === 'CodeBlock') {
      last.c = [noAttributes, `${(last.c as string[])[1]}\n\n${(block.c as string[])[1]}`];
    } else blocks.push(block);
  }
  return JSON.stringify({ 'pandoc-api-version': apiVersion, meta: {}, blocks });
}

const blockOf = (paragraph: string): Node =>
  aligned.test(paragraph)
    ? { t: 'CodeBlock', c: [noAttributes, paragraph] }
    : { t: 'Para', c: inlinesOf(paragraph.split('\n')) };

function inlinesOf(lines: string[]): Node[] {
  return lines.flatMap((line, i) => {
    const words = line.trim().split(/\s+/).filter(Boolean);
    const spaced = words.flatMap((word, j) => [
      ...(j > 0 ? [{ t: 'Space' }] : []),
      { t: 'Str', c: word },
    ]);
    if (i === 0) return spaced;
    return [
      { t: lines[i - 1]!.length >= minWrappedCharacters ? 'SoftBreak' : 'LineBreak' },
      ...spaced,
    ];
  });
}
