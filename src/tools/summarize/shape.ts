import type { Style } from '../../text-model/engine.ts';
import { countWords, cutAtWord } from '../../text/segment.ts';

/** The beginning of a summary in each style (docs/specification.md, summarize). */
const label = { tldr: 'TL;DR: ', paragraph: '', bullets: '' } as const;

/** Returns the number of words in the label of a style. `TL;DR:` has two. */
export const ownWords = (style: Style) => countWords(label[style]);

/**
 * Formats a summary in a style with at most `most` words. It is cut after a sentence or, if no sentence fits,
 * after a word.
 */
export function shaped(points: string[], style: Style, most: number): string {
  const room = most - ownWords(style);
  const plain = points.map(withoutMarks).filter((point) => point !== '');
  const kept = fitting(plain, room);
  if (style === 'bullets') return kept.map((point) => `- ${point}`).join('\n');
  return label[style] + kept.map((point, i) => seam(kept[i - 1] ?? '', point) + point).join('');
}

/** Removes list markers, headings and emphasis. */
function withoutMarks(point: string): string {
  return point
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:(?:[-*+•‣–—>]|#{1,6}|\p{N}{1,3}[.)]) +|TL;DR: *)+/u, '')
    .replace(/(\*\*|__)(?=\S)((?:(?!\1).)+)(?<=\S)\1/g, '$2')
    .trim();
}

function fitting(points: string[], room: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const point of points) {
    const words = countWords(point);
    if (used + words > room) return kept.length > 0 ? kept : [cutAtWord(point, room)];
    kept.push(point);
    used += words;
  }
  return kept;
}

/** Returns the separator between two sentences; empty before the first. */
function seam(before: string, next: string): string {
  if (before === '') return '';
  const last = before.slice(-2);
  // Languages without spaces between words have none between sentences.
  const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。！？」』）]$/u.test(last);
  // A heading or a list item may have no full stop.
  const open = /[\p{L}\p{N}]$/u.test(last) && /^\p{Lu}|^[^\p{Cased}]/u.test(next);
  if (dense) return open ? '。' : '';
  return open ? '. ' : ' ';
}
