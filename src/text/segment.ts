/**
 * Words and sentences of any language: Unicode's rules (UAX #29) as `Intl.Segmenter` knows them, with
 * its dictionaries for Chinese, Japanese, Thai and others that write no spaces.
 */

const segmenters = new Map<string, Intl.Segmenter>();

/** A segmenter; the first one takes 10 ms, with which no Worker need start. */
function by(granularity: 'word' | 'sentence'): Intl.Segmenter {
  const known = segmenters.get(granularity) ?? new Intl.Segmenter('und', { granularity });
  segmenters.set(granularity, known);
  return known;
}

/** The words of a text, without punctuation and symbols. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of by('word').segment(text))
    if (isWordLike) words.push(segment);
  return words;
}

export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of by('word').segment(text)) if (isWordLike) count++;
  return count;
}

/** The beginning of a text that has at most `most` words, with an ellipsis for what is left out. */
export function cutAtWord(text: string, most: number): string {
  let count = 0;
  for (const { isWordLike, index } of by('word').segment(text)) {
    if (isWordLike && ++count > most) {
      return `${text.slice(0, index).replace(/(?<![\s\p{Pd}\p{Ps}\p{Pi},;:、，；：])[\s\p{Pd}\p{Ps}\p{Pi},;:、，；：]+$/u, '')}…`;
    }
  }
  return text;
}

/** Words in one piece, after which a text without any full stop is broken. */
const longest = 100;

/** The sentences of a text, trimmed. Headings, list items and lines of code are sentences too. */
export function sentencesOf(text: string): string[] {
  return blocksOf(text).flatMap(sentencesIn).flatMap(broken);
}

const listMarker = /^(?:[-*+•‣–—]|\p{N}{1,3}[.)])\s/u;
/** That of a list, by itself. */
const number = /^\s*\p{N}{1,3}[.)]\s*$/u;
const closed = /[.!?:…。！？：।؟]["'”’»)\]]*$/u;

/** Paragraphs, and lines that stand alone; a line that was only wrapped goes on in the next. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] = [];
  let length = 0;
  for (const line of text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((each) => each.trim())) {
    // No closing marks reach over the space between two lines, so the last one tells.
    const wrapped =
      length > 45 && line !== '' && !closed.test(open.at(-1)!) && !listMarker.test(line);
    if (!wrapped) {
      if (length > 0) blocks.push(open.join(' '));
      open = [];
      length = -1;
    }
    open.push(line);
    length += 1 + line.length;
  }
  if (length > 0) blocks.push(open.join(' '));
  return blocks;
}

/**
 * Ends with a full stop that is not the sentence's: titles, initials and the commonest abbreviations.
 * CLDR's lists of suppressions, which `Intl.Segmenter` does not heed, lack the English titles and have
 * words that end sentences (`Up.`, `Job.`).
 */
const abbreviated = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?!I)\p{Lu}|[a-z]|(?:\p{L}\.\s?)+\p{L}|[Mm]rs?|[Mm]s|[Dd]r|Mme|Mlle|MM|Dra|Sra?|Prof|St|Jr|vs` +
    '|Gen|Gov|Sen|Rep|Lt|Col|Sgt|Capt|Maj|Rev|Hon|Figs?|Eqs?|Nos?|Nr|Vol|pp|al|cf|ca|bzw|Abb|Mio|Mrd|Hrn?|Fr|approx|Inc|Ltd|Co|Corp' +
    String.raw`|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec|тыс|руб|ул)\.\s*$`,
  'u',
);

/** Where a sentence may end among small letters: after white space behind its end. */
const amongSmall = /(?=\S)(?<=[.!?]["'”’)\]]*\s+)/u;

/** The end of a text that an abbreviation and the space after it take, in characters. */
const abbreviationLength = 12;

function sentencesIn(block: string): string[] {
  const sentences: string[] = [];
  // Unicode takes a full stop before a small letter for an abbreviation's: not where all are small.
  const small = !/\p{Lu}/u.test(block);
  let [start, end] = [0, 0];
  for (const { segment } of by('sentence').segment(block)) {
    for (const piece of small ? segment.split(amongSmall) : [segment]) {
      end += piece.length;
      if (abbreviated.test(block.slice(Math.max(start, end - abbreviationLength), end))) continue;
      const open = block.slice(start, end);
      if (number.test(open)) continue;
      sentences.push(open.trim());
      start = end;
    }
  }
  return [...sentences, block.slice(start).trim()].filter(Boolean);
}

function broken(sentence: string): string[] {
  // No word is shorter than a character.
  if (sentence.length <= longest || countWords(sentence) <= longest) return [sentence];
  const pieces: string[] = [];
  let count = 0;
  let start = 0;
  for (const { isWordLike, index } of by('word').segment(sentence)) {
    if (!isWordLike || ++count <= longest) continue;
    pieces.push(sentence.slice(start, index).trim());
    start = index;
    count = 1;
  }
  return [...pieces, sentence.slice(start).trim()];
}
