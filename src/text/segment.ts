/**
 * Splits text of any language into words and sentences by Unicode's rules (UAX #29). `Intl.Segmenter` has
 * dictionaries for languages without spaces, such as Chinese, Japanese and Thai.
 */

const segmenters = new Map<string, Intl.Segmenter>();

/** Returns a segmenter. Creating the first one takes 10 ms, so segmenters are created on first use. */
function by(granularity: 'word' | 'sentence'): Intl.Segmenter {
  const known = segmenters.get(granularity) ?? new Intl.Segmenter('und', { granularity });
  segmenters.set(granularity, known);
  return known;
}

/** Returns the words of a text, without punctuation and symbols. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of by('word').segment(text))
    if (isWordLike) words.push(segment);
  return words;
}

/** Counts the words of a text. */
export function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of by('word').segment(text)) if (isWordLike) count++;
  return count;
}

/** Truncates a text after `most` words and adds an ellipsis. Returns a shorter text unchanged. */
export function cutAtWord(text: string, most: number): string {
  let count = 0;
  for (const { isWordLike, index } of by('word').segment(text)) {
    if (isWordLike && ++count > most) {
      return `${text.slice(0, index).replace(/(?<![\s\p{Pd}\p{Ps}\p{Pi},;:、，；：])[\s\p{Pd}\p{Ps}\p{Pi},;:、，；：]+$/u, '')}…`;
    }
  }
  return text;
}

/** Largest number of words in a sentence. Longer text without a full stop is split. */
const maxSentenceWords = 100;

/** Returns the trimmed sentences of a text. Headings, list items and lines of code are sentences too. */
export function sentencesOf(text: string): string[] {
  return blocksOf(text).flatMap(sentencesIn).flatMap(splitLong);
}

const listMarker = /^(?:[-*+•‣–—]|\p{N}{1,3}[.)])\s/u;
/** A list number without its item, which the segmenter takes for a sentence. */
const listNumber = /^\s*\p{N}{1,3}[.)]\s*$/u;
const closed = /[.!?:…。！？：।؟]["'”’»)\]]*$/u;

/**
 * Splits a text into paragraphs and single lines. Lines of more than 45 characters are joined, as wrapped ones.
 */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] = [];
  let length = 0;
  for (const line of text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((each) => each.trim())) {
    // The end of a sentence cannot span two lines, so testing the last line is enough.
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
 * Matches an abbreviation at the end of a text, whose full stop does not end the sentence: titles, initials
 * and common abbreviations. `Intl.Segmenter` ignores CLDR's list of abbreviations, and that list lacks English
 * titles and contains words that do end sentences (`Up.`, `Job.`).
 */
const abbreviated = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?!I)\p{Lu}|[a-z]|(?:\p{L}\.\s?)+\p{L}|[Mm]rs?|[Mm]s|[Dd]r|Mme|Mlle|MM|Dra|Sra?|Prof|St|Jr|vs` +
    '|Gen|Gov|Sen|Rep|Lt|Col|Sgt|Capt|Maj|Rev|Hon|Figs?|Eqs?|Nos?|Nr|Vol|pp|al|cf|ca|bzw|Abb|Mio|Mrd|Hrn?|Fr|approx|Inc|Ltd|Co|Corp' +
    String.raw`|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec|тыс|руб|ул)\.\s*$`,
  'u',
);

/** Matches the start of a sentence in lower-case text: after a closing mark and white space. */
const lowerCaseSentenceStart = /(?=\S)(?<=[.!?]["'”’)\]]*\s+)/u;

/** Characters of the longest abbreviation with the white space after it. */
const maxAbbreviationLength = 12;

function sentencesIn(block: string): string[] {
  const sentences: string[] = [];
  // By Unicode's rules a full stop before a lower-case letter does not end a sentence. In text without any
  // capitals this would find no sentences, so such text is split at every full stop.
  const isLowerCase = !/\p{Lu}/u.test(block);
  let [start, end] = [0, 0];
  for (const { segment } of by('sentence').segment(block)) {
    for (const piece of isLowerCase ? segment.split(lowerCaseSentenceStart) : [segment]) {
      end += piece.length;
      const tail = block.slice(Math.max(start, end - maxAbbreviationLength), end);
      if (abbreviated.test(tail)) continue;
      const open = block.slice(start, end);
      if (listNumber.test(open)) continue;
      sentences.push(open.trim());
      start = end;
    }
  }
  return [...sentences, block.slice(start).trim()].filter(Boolean);
}

function splitLong(sentence: string): string[] {
  // A text has at most as many words as characters, which saves counting for short ones.
  if (sentence.length <= maxSentenceWords || countWords(sentence) <= maxSentenceWords) {
    return [sentence];
  }
  const pieces: string[] = [];
  let count = 0;
  let start = 0;
  for (const { isWordLike, index } of by('word').segment(sentence)) {
    if (!isWordLike || ++count <= maxSentenceWords) continue;
    pieces.push(sentence.slice(start, index).trim());
    start = index;
    count = 1;
  }
  return [...pieces, sentence.slice(start).trim()];
}
