import { wordsOf } from '../../text/segment.ts';

/** How long a choice of sentences is to be, in words. */
export interface Length {
  about: number;
  /** Never more than this. */
  most: number;
}

/** Sentences that are compared with each other; of a longer text, those nearest to the whole of it. */
const mostCompared = 1200;
/** Letters of a word that count: a stemmer that needs to know no language. */
const stem = 6;
/** Sentences from which on a text has an end that concludes. */
const concludes = 80;
/** Words of the sentences that are welcome: shorter ones are headings and asides. */
const [shortest, longest] = [8, 50];
/** The share of a sentence's worth that comes from others like it (LexRank's damping). */
const damping = 0.8;
/** How much a sentence loses that says what has been said. */
const redundancy = 0.5;
/** From this likeness on it says nothing else. */
const same = 0.95;

/** A sentence as the weights of its words, of length 1. */
type Vector = Map<number, number>;

/**
 * The sentences that say most of a text, as indices in its order.
 *
 * LexRank (Erkan and Radev 2004) with a prior for the beginning, and for the end of long texts; the
 * choice by maximal marginal relevance (Carbonell and Goldstein 1998). The numbers are those that did
 * best over news, papers, meetings and abstracts (bench/summarize.ts).
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

/** The worthiest that fit, and that say what the others have not said. */
function picked(
  worth: Float64Array,
  lengths: number[],
  likeness: Float32Array[],
  { about, most }: Length,
): number[] {
  // Between sentences, three words are a heading; in a list of such they are all there is.
  const average = lengths.reduce((a, b) => a + b, 0) / lengths.length;
  const least = average < shortest ? 1 : shortest / 2;
  const highest = worth.reduce((a, b) => Math.max(a, b), 0) || 1;
  const said = new Float32Array(worth.length);
  const open = new Set(worth.keys());
  const value = (at: number) => worth[at]! / highest - redundancy * said[at]!;
  const chosen: number[] = [];
  let used = 0;
  while (used < about && open.size > 0) {
    let best = -1;
    for (const at of open) if (best < 0 || value(at) > value(best)) best = at;
    open.delete(best);
    const length = lengths[best]!;
    const room = used === 0 ? most : Math.min(most, about * 1.2);
    if (used + length > room || said[best]! > same || (used > 0 && length < least)) continue;
    chosen.push(best);
    used += length;
    for (const at of open) said[at] = Math.max(said[at]!, likeness[best]![at]!);
  }
  // Where no sentence fits, one has to be cut.
  return chosen.length > 0 ? chosen : [Math.max(0, worth.indexOf(highest))];
}

/** A heading or an exclamation says little, a sentence without end too much. */
function fitness(length: number): number {
  if (length < shortest) return length < shortest / 2 ? 0.05 : 0.3;
  return Math.min(1, longest / length);
}

/** What the place of a sentence says of its worth. */
function priorsOf(count: number): number[] {
  const reach = 5 + 0.03 * count;
  return Array.from({ length: count }, (_, index) => {
    const start = 12 * Math.exp(-index / reach);
    const end = count < concludes ? 0 : 10 * Math.exp(-(count - 1 - index) / reach);
    return 1 + start + end;
  });
}

/** TF-ISF: a word weighs more the fewer sentences have it; one that all have weighs nothing. */
function vectorsOf(sentences: string[][]): Vector[] {
  const ids = new Map<string, number>();
  const holders: number[] = [];
  const counts = sentences.map((words) => {
    const count: Vector = new Map();
    for (const word of words) {
      const key = word.normalize('NFKC').toLowerCase().slice(0, stem);
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

/** Which sentences to compare, in the order of the text. */
function nearest(vectors: Vector[], priors: number[]): number[] {
  const all = [...vectors.keys()];
  if (all.length <= mostCompared) return all;
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
    .slice(0, mostCompared)
    .toSorted((a, b) => a - b);
}

/** The cosines of all with all, by way of the words that they share. */
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

/** PageRank over the likenesses, by power iteration. */
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
