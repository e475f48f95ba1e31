import { ServiceError } from '../../errors.ts';
import { mayBeEnglish } from '../../text/language.ts';
import { sentencesOf } from '../../text/segment.ts';
import type { TextEngine } from '../engine.ts';
import { proseOf } from './prose.ts';
import { choose } from './rank.ts';

/** Needs nothing: summaries are chosen sentences, rewritings go by rules. */
export const offlineEngine: TextEngine = {
  name: 'offline',
  async summarize({ text, about, most }) {
    const pieces = sentencesOf(proseOf(text));
    const telling = pieces.filter((piece) => /[\p{L}\p{N}]/u.test(piece));
    const sentences = telling.length > 0 ? telling : pieces;
    if (sentences.length === 0) return [text];
    return choose(sentences, { about, most }).map((index) => sentences[index]!);
  },
  async rewrite({ text, target }) {
    const { rewritten } = await import('./rewrite.ts');
    const english = mayBeEnglish(text);
    const result = english ? rewritten(text, target) : undefined;
    if (result !== undefined) return result;
    const wanted = english ? `${target} needs` : 'a language other than English needs';
    const message = `rewriting: ${wanted} a text model, and none is configured: set TEXT_MODEL_NAME, and TEXT_MODEL_URL for one that is not Workers AI's; nothing was charged`;
    throw new ServiceError('unavailable', message);
  },
};
