import { estimateTokenCount } from 'tokenx';
import { sentencesOf } from '../text/segment.ts';

/**
 * Splits a text into parts of at most `most` tokens: at paragraphs, and long paragraphs at sentences. A text
 * that fits is returned unchanged.
 */
export function partsOf(text: string, most: number): string[] {
  if (estimateTokenCount(text) <= most) return [text];
  const paragraphs = text
    .split(/(?:\r?\n[ \t]*){2,}/)
    .filter((paragraph) => paragraph.trim() !== '');
  return filled(
    paragraphs.flatMap((paragraph) =>
      estimateTokenCount(paragraph) <= most
        ? [paragraph]
        : filled(sentencesOf(paragraph), ' ', most),
    ),
    '\n\n',
    most,
  );
}

/** Joins neighbouring pieces as long as they fit into one part. */
function filled(pieces: string[], between: string, most: number): string[] {
  const parts: string[] = [];
  let open: string[] = [];
  let used = 0;
  for (const piece of pieces) {
    const tokens = estimateTokenCount(piece) + 1;
    if (used + tokens > most && open.length > 0) {
      parts.push(open.join(between));
      open = [];
      used = 0;
    }
    open.push(piece);
    used += tokens;
  }
  return open.length > 0 ? [...parts, open.join(between)] : parts;
}
