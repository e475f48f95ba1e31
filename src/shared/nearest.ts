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
  const edits = editDistance(a, b);
  // Among equally close candidates the one of a similar length wins.
  const missing = (long.length - short.length) / 100;
  if (edits === 1 && mostEdits > 0) return 1 + missing;
  if (short.length >= 2 && long.startsWith(short)) return 1 + missing;
  if (edits <= mostEdits) return edits + missing;
  if (short.length >= 3 && long.includes(short)) return 3 + missing;
  return isAbbreviation(short, long) ? 4 + missing : Infinity;
}

/** Whether a word consists of letters of another in their order, from the first one on. */
function isAbbreviation(short: string, long: string): boolean {
  if (short.length < 2 || short.length * 4 < long.length || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

/**
 * How many letters have to be inserted, left out, replaced or swapped with their neighbour to make one
 * word of another (optimal string alignment distance).
 */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
