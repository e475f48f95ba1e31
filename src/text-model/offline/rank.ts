import { wordsOf } from '../../text/segment.ts';

/** The length of a summary in words. */
export interface Length {
  /** Desired number of words. */
  about: number;
  /** Largest number of words. */
  most: number;
}

/** Sentences that are compared with each other. Of a longer text, the ones most similar to the whole text. */
const maxComparedSentences = 1200;
/** Words are compared by this many first letters, as a stemmer that works for any language. */
const stemLetters = 6;
/** Number of sentences from which a text is expected to have a conclusion at its end. */
const minSentencesWithConclusion = 80;
/** Preferred lengths of a sentence in words. Shorter ones are mostly headings and asides. */
const [minGoodWords, maxGoodWords] = [8, 50];
/** LexRank's damping: the share of a sentence's score that comes from similar sentences. */
const damping = 0.8;
/** Weight by which similarity to the chosen sentences reduces a sentence's score. */
const redundancyWeight = 0.5;
/** Similarity from which a sentence counts as a repetition. */
const repetitionSimilarity = 0.95;

/** A sentence as a vector of the weights of its words, normalized to length 1. */
type Vector = Map<number, number>;

/**
 * Chooses the most important sentences of a text. Returns their indices in ascending order.
 *
 * Sentences are scored by LexRank (Erkan and Radev 2004) with a prior for the beginning of the text and for
 * the end of long texts, and chosen by maximal marginal relevance (Carbonell and Goldstein 1998). The
 * constants gave the best results for news, papers, meetings and abstracts (bench/summarize.ts).
 */
export function choose(sentences: string[], { about, most }: Length): number[] {
  const words = sentences.map(wordsOf);
  const lengths = words.map((each) => each.length);
  const vectors = vectorsOf(words);
  const priors = priorsOf(sentences.length);
  const compared = nearest(vectors, priors);
  const likeness = likenessOf(compared.map((index) => vectors[index]!));
  const standing = rank(
    likeness,
    compared.map((index) => priors[index]!),
  );
  const long = compared.map((index) => lengths[index]!);
  const worth = standing.map((value, at) => value * fitness(long[at]!));
  return picked(worth, long, likeness, { about, most })
    .map((at) => compared[at]!)
    .toSorted((a, b) => a - b);
}

/** Picks the sentences with the highest scores that fit and are no repetition of picked ones. */
function picked(
  worth: Float64Array,
  lengths: number[],
  likeness: Float32Array[],
  { about, most }: Length,
): number[] {
  // Among sentences, a text of three words is a heading and is skipped. In a list of short items it is not.
  const average = lengths.reduce((a, b) => a + b, 0) / lengths.length;
  const least = average < minGoodWords ? 1 : minGoodWords / 2;
  const highest = worth.reduce((a, b) => Math.max(a, b), 0) || 1;
  const said = new Float32Array(worth.length);
  const open = new Set(worth.keys());
  const value = (at: number) => worth[at]! / highest - redundancyWeight * said[at]!;
  const chosen: number[] = [];
  let used = 0;
  while (used < about && open.size > 0) {
    let best = -1;
    for (const at of open) if (best < 0 || value(at) > value(best)) best = at;
    open.delete(best);
    const length = lengths[best]!;
    const room = used === 0 ? most : Math.min(most, about * 1.2);
    if (used + length > room || (used > 0 && length < least)) continue;
    if (said[best]! > repetitionSimilarity) continue;
    chosen.push(best);
    used += length;
    for (const at of open) said[at] = Math.max(said[at]!, likeness[best]![at]!);
  }
  // If no sentence fits, the best one is returned, and the caller truncates it.
  return chosen.length > 0 ? chosen : [Math.max(0, worth.indexOf(highest))];
}

/** Returns a factor that reduces the score of very short and very long sentences. */
function fitness(length: number): number {
  if (length < minGoodWords) return length < minGoodWords / 2 ? 0.05 : 0.3;
  return Math.min(1, maxGoodWords / length);
}

/** Returns the prior score of each sentence by its position in the text. */
function priorsOf(count: number): number[] {
  const reach = 5 + 0.03 * count;
  return Array.from({ length: count }, (_, index) => {
    const start = 12 * Math.exp(-index / reach);
    const end =
      count < minSentencesWithConclusion ? 0 : 10 * Math.exp(-(count - 1 - index) / reach);
    return 1 + start + end;
  });
}

/** Computes TF-ISF vectors: a word weighs more the fewer sentences contain it, and 0 if all do. */
function vectorsOf(sentences: string[][]): Vector[] {
  const ids = new Map<string, number>();
  const holders: number[] = [];
  const counts = sentences.map((words) => {
    const count: Vector = new Map();
    for (const word of words) {
      const key = word.normalize('NFKC').toLowerCase().slice(0, stemLetters);
      let id = ids.get(key);
      if (id === undefined) ids.set(key, (id = holders.push(0) - 1));
      const before = count.get(id) ?? 0;
      if (before === 0) holders[id]! += 1;
      count.set(id, before + 1);
    }
    return count;
  });
  return counts.map((count) => {
    const weights = [...count].map(([id, times]): [number, number] => [
      id,
      (1 + Math.log(times)) * Math.log(sentences.length / holders[id]!),
    ]);
    const norm = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
    return new Map(weights.flatMap(([id, weight]) => (weight > 0 ? [[id, weight / norm]] : [])));
  });
}

/** Returns the indices of the sentences to compare, in ascending order. */
function nearest(vectors: Vector[], priors: number[]): number[] {
  const all = [...vectors.keys()];
  if (all.length <= maxComparedSentences) return all;
  const whole: Vector = new Map();
  for (const vector of vectors) {
    for (const [id, weight] of vector) whole.set(id, (whole.get(id) ?? 0) + weight);
  }
  const nearness = vectors.map((vector, index) => {
    let sum = 0;
    for (const [id, weight] of vector) sum += weight * whole.get(id)!;
    return sum * priors[index]!;
  });
  return all
    .toSorted((a, b) => nearness[b]! - nearness[a]!)
    .slice(0, maxComparedSentences)
    .toSorted((a, b) => a - b);
}

/** Computes the cosine similarity of all pairs of sentences from their common words. */
function likenessOf(vectors: Vector[]): Float32Array[] {
  const rows = vectors.map(() => new Float32Array(vectors.length));
  const holders = new Map<number, { at: number[]; weights: number[] }>();
  vectors.forEach((vector, index) => {
    const row = rows[index]!;
    for (const [id, weight] of vector) {
      let held = holders.get(id);
      if (!held) holders.set(id, (held = { at: [], weights: [] }));
      const { at, weights } = held;
      for (let each = 0; each < at.length; each++) row[at[each]!]! += weight * weights[each]!;
      at.push(index);
      weights.push(weight);
    }
    for (let other = 0; other < index; other++) rows[other]![index] = row[other]!;
  });
  return rows;
}

/** Computes PageRank on the similarities by power iteration. */
function rank(likeness: Float32Array[], priors: number[]): Float64Array {
  const total = priors.reduce((a, b) => a + b, 0);
  const rest = Float64Array.from(priors, (prior) => prior / total);
  const degrees = likeness.map((row) => row.reduce((a, b) => a + b, 0));
  let standing = rest;
  for (let step = 0; step < 20; step++) {
    const next = rest.map((each) => each * (1 - damping));
    likeness.forEach((row, index) => {
      if (degrees[index] === 0) return;
      const share = (damping * standing[index]!) / degrees[index]!;
      for (let other = 0; other < row.length; other++) next[other]! += share * row[other]!;
    });
    standing = next;
  }
  return standing;
}
