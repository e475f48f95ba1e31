import type { Style } from '../../text-model/engine.ts';

/** Returns the default number of words of a summary: 70 for a page, 200 for a book. */
export function usual(words: number, style: Style): number {
  const full = Math.min(200, 5.4 * words ** 0.4);
  return Math.ceil(style === 'tldr' ? Math.max(12, full / 3) : full);
}
