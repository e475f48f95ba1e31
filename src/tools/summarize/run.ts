import type { Context } from '../../context.ts';
import { invalidInput } from '../../errors.ts';
import { countWords } from '../../text/segment.ts';
import type { Input } from './index.ts';
import { ownWords, shaped } from './shape.ts';
import { usual } from './usual.ts';

export async function run(
  { text, style, max_length }: Input,
  context: Pick<Context, 'textEngine'>,
) {
  const textEngine = await context.textEngine;
  const most = max_length || Infinity;
  if (most <= ownWords(style)) {
    const message = `must be at least ${ownWords(style) + 1} for ${style}, whose label has ${ownWords(style)} words`;
    throw invalidInput('max_length', message);
  }
  const original = countWords(text);
  const points = await textEngine.summarize({
    text,
    style,
    about: usual(original, style),
    most: most - ownWords(style),
  });
  const summary = shaped(points, style, most);
  const words = countWords(summary);
  return {
    summary,
    style,
    original_words: original,
    summary_words: words,
    compression_ratio: original === 0 ? 1 : Math.min(1, Math.round((words / original) * 1e4) / 1e4),
    engine: textEngine.name,
  };
}
