import { countWords, sentencesOf, wordsOf } from '../text/segment.ts';
import { mayShareLanguage } from '../text/language.ts';
import { ModelFault, type Completion } from './chat.ts';
import { speaksToModels } from './commands.ts';
import { unwrapped } from './unwrap.ts';

const refusal =
  /^(?:i(?:'|’)?m sorry|i am sorry|sorry|i apologi[sz]e|i (?:cannot|can(?:'|’)?t|am unable to|won(?:'|’)?t)|as an ai)\b[^.\n]{0,120}\b(?:cannot|can(?:'|’)?t|unable|not able|assist|help|comply|ai|language model|provide|fulfil)/i;

/** Articles, pronouns and the like, by their length; where scripts write more in a letter, none. */
const small = /^\p{Script=Latin}{1,3}$/u;

/** Words that say something, by their beginnings. */
function stemsOf(text: string): Set<string> {
  const words = wordsOf(text).map((word) => word.normalize('NFKC').toLowerCase().slice(0, 6));
  const telling = words.filter((word) => !small.test(word));
  return new Set(telling.length > 0 ? telling : words);
}

export interface Expected {
  text: string;
  /** Words that an answer to a text of some length has at least and at most. */
  least: number;
  most: number;
  /** Share of its telling words that must be the text's too, by how many words it has. */
  grounded(words: number): number;
  /** Links and code of the text that must be there. */
  kept: string[];
  /** What was said to the model and to nobody else. */
  secret: string;
  /** A part of the answer is of use. */
  mayBeCut: boolean;
}

/**
 * What the model wrote, if it can be the answer to what it was asked. Throws ModelFault for a refusal,
 * for another language, for an answer to something that the text says, and the like.
 */
export function accepted({ content, cut }: Completion, expected: Expected): string {
  let answer = unwrapped(content, expected.text);
  if (cut && !expected.mayBeCut) throw new ModelFault('an answer that was cut off');
  if (cut) answer = sentencesOf(answer).slice(0, -1).join('\n');
  const words = countWords(answer);
  const { text, least, most, grounded, kept, secret } = expected;
  if (words === 0) throw new ModelFault('an empty answer');
  if (words < least) throw new ModelFault('an answer that is too short');
  if (words > most) throw new ModelFault('an answer that is too long');
  if (refusal.test(answer)) throw new ModelFault('a refusal');
  if (answer.includes(secret)) throw new ModelFault('an answer that repeats the question');
  if (kept.some((each) => !answer.includes(each)))
    throw new ModelFault('an answer that lost a link or code');
  if (share(answer, text) < grounded(words)) throw new ModelFault('an answer to something else');
  if (!mayShareLanguage(text, answer)) throw new ModelFault('another language');
  return answer;
}

/** How much of an answer is in the text, leaving aside what there speaks to the model. */
function share(answer: string, text: string): number {
  const sentences = sentencesOf(text);
  const innocent = sentences.filter((sentence) => !speaksToModels(sentence));
  // A text that is all commands can only be summarised by them.
  const source = stemsOf((innocent.length > 0 ? innocent : sentences).join('\n'));
  const stems = [...stemsOf(answer)];
  return stems.filter((each) => source.has(each)).length / stems.length;
}
