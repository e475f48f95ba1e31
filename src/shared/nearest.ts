import damerau from 'damerau-levenshtein';

/**
 * The candidate that a misspelt word most likely stands for; undefined when none is close. Letter case and
 * punctuation do not count: `SHA-256` is `sha256`. Abbreviations are close too: `md` is `markdown`.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined;
  let best: { candidate: string; score: number } | undefined;
  for (const candidate of candidates) {
    const score = unlikeness(bare(word), bare(candidate));
    if (score < (best?.score ?? Infinity)) best = { candidate, score };
  }
  return best?.candidate;
}

/** Characters of the longest word that is compared: what is longer is no name. */
const longestWord = 64;

const bare = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** 0 for equal words, more for less similar ones, and Infinity for words that are not close. */
function unlikeness(a: string, b: string): number {
  if (a === b) return 0;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const mostEdits = Math.floor((long.length + 2) / 4);
  // Insertions, deletions, replacements, and swaps of neighbours.
  const edits = damerau(a, b).steps;
  // Among equally close candidates the one of a similar length wins.
  const missing = (long.length - short.length) / 100;
  if (edits === 1 && mostEdits > 0) return 1 + missing;
  if (short.length >= 2 && long.startsWith(short)) return 1 + missing;
  if (edits <= mostEdits) return edits + missing;
  if (short.length >= 3 && short.length * 2 >= long.length && long.includes(short))
    return 3 + missing;
  return isAbbreviation(short, long) ? 4 + missing : Infinity;
}

/** Whether a word consists of letters of another in their order, from the first one on. */
function isAbbreviation(short: string, long: string): boolean {
  if (short.length < 2 || short.length * 4 < long.length || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}
