import { ServiceError } from '../../errors.ts';
import { languageOf } from '../../text/language.ts';
import { sentencesOf } from '../../text/segment.ts';
import type { TextEngine } from '../engine.ts';
import { choose } from './rank.ts';

/** Needs nothing: summaries are chosen sentences, rewritings go by rules. */
export const offlineEngine: TextEngine = {
  name: 'offline',
  async summarize({ text, about, most }) {
    const sentences = sentencesOf(text);
    if (sentences.length === 0) return [text];
    return choose(sentences, { about, most }).map((index) => sentences[index]!);
  },
  async rewrite({ text, target }) {
    const { rewritten } = await import('./rewrite.ts');
    const language = (await languageOf(text)) ?? 'en';
    const result = language === 'en' ? rewritten(text, target) : undefined;
    if (result !== undefined) return result;
    const wanted = language === 'en' ? `${target} needs` : 'a language other than English needs';
    const message = `rewriting: ${wanted} a text model, and none is configured: set TEXT_MODEL_NAME, and TEXT_MODEL_URL for one that is not Workers AI's; nothing was charged`;
    throw new ServiceError('unavailable', message);
  },
};
