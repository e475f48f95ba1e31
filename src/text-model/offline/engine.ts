import { ServiceError } from '../../errors.ts';
import { mayBeEnglish } from '../../text/language.ts';
import { sentencesOf } from '../../text/segment.ts';
import type { TextEngine } from '../engine.ts';
import { proseOf } from './prose.ts';
import { choose } from './rank.ts';

/** A text engine without a model. Summaries are sentences of the text; rewriting follows rules. */
export const offlineEngine: TextEngine = {
  name: 'offline',
  async summarize({ text, about, most }) {
    const pieces = sentencesOf(proseOf(text));
    const withWords = pieces.filter((piece) => /[\p{L}\p{N}]/u.test(piece));
    const sentences = withWords.length > 0 ? withWords : pieces;
    if (sentences.length === 0) return [text];
    return choose(sentences, { about, most }).map((index) => sentences[index]!);
  },
  async rewrite({ text, target }) {
    const { rewritten } = await import('./rewrite.ts');
    const english = mayBeEnglish(text);
    const result = english ? rewritten(text, target) : undefined;
    if (result !== undefined) return result;
    const wanted = english ? `${target} needs` : 'a language other than English needs';
    const message = `rewriting: ${wanted} a text model, and none is configured: set TEXT_MODEL_NAME, and TEXT_MODEL_URL for a model outside of Workers AI; nothing was charged`;
    throw new ServiceError('unavailable', message);
  },
};
