import { countWords, sentencesOf, wordsOf } from '../text/segment.ts';
import { mayShareLanguage } from '../text/language.ts';
import { ModelFault, type Completion } from './chat.ts';
import { speaksToModels } from './commands.ts';
import { unwrapped } from './unwrap.ts';

const refusal =
  /^(?:i(?:'|’)?m sorry|i am sorry|sorry|i apologi[sz]e|i (?:cannot|can(?:'|’)?t|am unable to|won(?:'|’)?t)|as an ai)\b[^.\n]{0,120}\b(?:cannot|can(?:'|’)?t|unable|not able|assist|help|comply|ai|language model|provide|fulfil)/i;

/**
 * Latin words of up to 3 letters, most of which are function words. Short words of other scripts carry meaning.
 */
const functionWord = /^\p{Script=Latin}{1,3}$/u;

/** Returns the first 6 letters of each content word; of all words if there are no content words. */
function stemsOf(text: string): Set<string> {
  const words = wordsOf(text).map((word) => word.normalize('NFKC').toLowerCase().slice(0, 6));
  const contentWords = words.filter((word) => !functionWord.test(word));
  return new Set(contentWords.length > 0 ? contentWords : words);
}

/** Criteria for a usable completion. */
export interface Expected {
  text: string;
  /** Smallest and largest number of words. */
  least: number;
  most: number;
  /**
   * Returns the smallest share of the answer's stems that must occur in the text, for an answer's word count.
   */
  grounded(words: number): number;
  /** Links and code of the text that the answer must contain. */
  kept: string[];
  /** The nonce of the prompt, which must not occur in the answer. */
  secret: string;
  /** Whether a truncated answer is accepted up to its last whole sentence. */
  mayBeCut: boolean;
}

/**
 * Returns the text of a completion if it meets the criteria. Throws ModelFault for a refusal, another
 * language, an answer to an instruction in the text, and other unusable completions.
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

/**
 * Returns the share of the answer's stems that occur in the text, ignoring sentences with instructions for
 * models.
 */
function share(answer: string, text: string): number {
  const sentences = sentencesOf(text);
  const innocent = sentences.filter((sentence) => !speaksToModels(sentence));
  // If all sentences look like instructions, none can be ignored.
  const source = stemsOf((innocent.length > 0 ? innocent : sentences).join('\n'));
  const stems = [...stemsOf(answer)];
  return stems.filter((each) => source.has(each)).length / stems.length;
}
