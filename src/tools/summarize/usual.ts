import type { Style } from '../../text-model/engine.ts';

/** Words of a good summary where nobody says how many: 70 for a page, 200 for a book. */
export function usual(words: number, style: Style): number {
  const full = Math.min(200, 5.4 * words ** 0.4);
  return Math.ceil(style === 'tldr' ? Math.max(12, full / 3) : full);
}
