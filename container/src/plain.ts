import { apiVersion } from './pandoc/ast.ts';

/** Lines that reach this far, in characters, were broken to fit a page. */
const wrapped = 50;

/**
 * Plain text as pandoc's JSON, which has no reader for it: an empty line ends a paragraph, and a line
 * that was not merely broken to fit a page stays a line.
 */
export function plainDocument(text: string): string {
  const paragraphs = text.split(/\r?\n(?:[^\S\n]*\r?\n)+/).filter((one) => one.trim());
  return JSON.stringify({
    'pandoc-api-version': apiVersion,
    meta: {},
    blocks: paragraphs.map((one) => ({ t: 'Para', c: inlines(one.split(/\r?\n/)) })),
  });
}

function inlines(lines: string[]): object[] {
  return lines.flatMap((line, i) => {
    const words = line.trim().split(/\s+/).filter(Boolean);
    const spaced = words.flatMap((word, j) => [
      ...(j ? [{ t: 'Space' }] : []),
      { t: 'Str', c: word },
    ]);
    if (i === 0) return spaced;
    return [{ t: lines[i - 1]!.length >= wrapped ? 'SoftBreak' : 'LineBreak' }, ...spaced];
  });
}
