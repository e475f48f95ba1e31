import { countWords, sentencesOf, wordsOf } from '../text/segment.ts';
import { mayShareLanguage } from '../text/language.ts';
import { ModelFault, type Completion } from './chat.ts';

/** What a model puts around what it was asked for, in the languages that people write us in. */
const preamble =
  /^(?:(?:sure|certainly|of course|absolutely|okay|ok|no problem|gladly)\b[^\n]{0,60}?[!.,:]\s*)?(?:(?:here(?:'s|’s| is| are)|below is|this is|the following is|voici|voilà|hier ist|hier sind|aquí (?:tienes|está)|ecco|aqui está|вот|以下は|以下是|这是|다음은)[^\n]{0,120}?[:：][ \t]*\n*|(?:summary|tl;?dr|rewritten (?:text|version)|result|output|résumé|zusammenfassung|resumen|riassunto|resumo|краткое содержание|要約|摘要|总结|요약)\s*[:：]\s*)/iu;
const politeness =
  /^(?:sure|certainly|of course|absolutely|gladly)(?:[!.]|, (?:here|i)[^\n]{0,80}[.!:])\s*\n+/iu;
const offer =
  /\n+(?:let me know|i hope this|feel free to|if you(?:'d| would) like|would you like|is there anything|note: this (?:summary|rewrite))[^\n]*$/iu;
const quotes = ['""', "''", '“”', '‘’', '«»', '„“', '「」', '『』'];

/** The text itself, out of all that models wrap it in: reasoning, fences, quotes, announcements. */
export function unwrapped(content: string): string {
  let text = content
    .replaceAll('\r\n', '\n')
    .replace(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi, '');
  // A template that opens the reasoning itself leaves only its end.
  text = text.replace(/^[\s\S]*<\/think(?:ing)?>/i, '').trim();
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(politeness, '').replace(preamble, '').replace(offer, '').trim();
    text = /^(?:```|~~~)[^\n]*\n([\s\S]*?)\n?(?:```|~~~)$/.exec(text)?.[1]?.trim() ?? text;
    text = text.replace(
      /^(?:\*\*|__|#+ )(?:summary|tl;?dr|rewritten text)[:：]?(?:\*\*|__)?[:：]?\s*\n?/iu,
      '',
    );
    const inner = text.slice(1, -1);
    const quoted = quotes.find((pair) => text.startsWith(pair[0]!) && text.endsWith(pair[1]!));
    if (text.length > 1 && quoted && !inner.includes(quoted[0]!) && !inner.includes(quoted[1]!)) {
      text = inner.trim();
    }
  }
  return text;
}

const refusal =
  /^(?:i(?:'|’)?m sorry|i am sorry|sorry|i apologi[sz]e|i (?:cannot|can(?:'|’)?t|am unable to|won(?:'|’)?t)|as an ai)\b[^.\n]{0,120}\b(?:cannot|can(?:'|’)?t|unable|not able|assist|help|comply|ai|language model|provide|fulfil)/i;

/** Sentences that speak to a model and not to a reader. */
const commands =
  /\b(?:ignore|disregard|forget|override|bypass|ignoriere|vergiss|ignora|olvida|ignorez|oublie[zs]?)\b.{0,60}\b(?:previous|prior|above|preceding|earlier|all|everything|instructions?|prompts?|rules?|text|anweisungen|instrucciones|instructions)\b|\b(?:system prompt|you are now|you're now|new instructions?|developer mode|jailbreak|do anything now|end of (?:the )?(?:text|document)|act as|pretend (?:to be|you)|instead of summari[sz]ing|as an ai|language model|assistant)\b|\b(?:respond|reply|answer|output|print|say|write|return|repeat|tell|reveal)\b.{0,40}(?:\bonly\b|\bexactly\b|\bthe words?\b|\bjust\b|\bfollowing\b|\byour\b|["“'‘:])|^\s*(?:system|assistant|user|human|ai)\s*[:>]|<\/?(?:system|instructions?|assistant|user|document)\b|<\|?im_(?:start|end)|\[\/?(?:INST|SYS)\]/imu;

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
  /** What was said to the model and to nobody else. */
  secret: string;
  /** A part of the answer is of use. */
  mayBeCut: boolean;
}

/**
 * What the model wrote, if it can be the answer to what it was asked. Throws ModelFault for a refusal,
 * for another language, for an answer to something that the text says, and the like.
 */
export async function accepted({ content, cut }: Completion, expected: Expected): Promise<string> {
  let answer = unwrapped(content);
  if (cut && !expected.mayBeCut) throw new ModelFault('an answer that was cut off');
  if (cut) answer = sentencesOf(answer).slice(0, -1).join('\n');
  const words = countWords(answer);
  const { text, least, most, grounded, secret } = expected;
  if (words === 0) throw new ModelFault('an empty answer');
  if (words < least) throw new ModelFault('an answer that is too short');
  if (words > most) throw new ModelFault('an answer that is too long');
  if (refusal.test(answer)) throw new ModelFault('a refusal');
  if (answer.includes(secret)) throw new ModelFault('an answer that repeats the question');
  if (share(answer, text) < grounded(words)) throw new ModelFault('an answer to something else');
  if (!(await mayShareLanguage(text, answer))) throw new ModelFault('another language');
  return answer;
}

/** How much of an answer is in the text, leaving aside what there speaks to the model. */
function share(answer: string, text: string): number {
  const sentences = sentencesOf(text);
  const innocent = sentences.filter((sentence) => !commands.test(sentence));
  // A text that is all commands can only be summarised by them.
  const source = stemsOf((innocent.length > 0 ? innocent : sentences).join('\n'));
  const stems = [...stemsOf(answer)];
  return stems.filter((each) => source.has(each)).length / stems.length;
}
