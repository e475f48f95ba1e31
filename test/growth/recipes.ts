/** How a text of any size is made: a way, and the parts that it puts together. */
export interface Recipe {
  way: keyof typeof ways;
  parts: string[];
}

/** Writes a text of about `size` characters. */
export function write({ way, parts }: Recipe, size: number): string {
  return ways[way](parts, size);
}

type Way = (parts: string[], size: number) => string;

const times = (size: number, unit: string) => Math.max(1, Math.floor(size / (unit.length || 1)));
const filled = (size: number, unit: string) => unit.repeat(times(size, unit));

/** Of one token. */
const single = {
  repeated: ([a = ''], size) => filled(size, a),
  spaced: ([a = ''], size) => filled(size, `${a} `),
  inLines: ([a = ''], size) => filled(size, `${a}\n`),
  inParagraphs: ([a = ''], size) => filled(size, `${a}\n\n`),
  numbered: ([a = ''], size) => counted(size, (i) => `${a}${i}\n`),
  numberedBefore: ([a = ''], size) => counted(size, (i) => `k${i}${a}`),
  indented: ([a = ''], size) => counted(size, (i) => `${' '.repeat(i)}${a}\n`),
  letters: ([a = ''], size) => a + filled(size, 'a'),
  lettersBefore: ([a = ''], size) => filled(size, 'a') + a,
  spaces: ([a = ''], size) => `${a}${filled(size, ' ')}${a}`,
  digits: ([a = ''], size) => a + filled(size, '1'),
} satisfies Record<string, Way>;

/** Of several. */
const several = {
  alternating: (parts, size) => filled(size, parts.join('')),
  alternatingLines: (parts, size) => filled(size, parts.join('\n')),
  halves: ([a = '', b = ''], size) => filled(size / 2, a) + filled(size / 2, b),
  asMany: ([a = '', b = ''], size) => {
    const each = times(size, a + b);
    return a.repeat(each) + b.repeat(each);
  },
  begun: ([a = '', ...rest], size) => a + filled(size, rest.join('')),
  ended: ([a = '', ...rest], size) => filled(size, rest.join('')) + a,
  between: ([a = '', b = '', c = ''], size) => a + filled(size, b) + c,
} satisfies Record<string, Way>;

const others = {
  /** Opened, something in the middle, and closed as often; with what stands around it. */
  nested: ([open = '', middle = '', close = '', before = '', after = ''], size) => {
    const depth = times(size, open + close);
    return before + open.repeat(depth) + middle + close.repeat(depth) + after;
  },
  /** A number of nests of a depth that parsers still take. */
  nestedInRow: ([open = '', middle = '', close = '', before = '', after = ''], size) => {
    const nest = open.repeat(20) + middle + close.repeat(20);
    return before + filled(size, `${nest}\n`) + after;
  },
  /** The tokens in an order that the first part decides. */
  shuffled: ([seed = '', ...tokens], size) => {
    const next = randomOf(seed);
    const made: string[] = [];
    for (let length = 0; length < size;) {
      const token = tokens[Math.floor(next() * tokens.length)] || ' ';
      made.push(token);
      length += token.length;
    }
    return made.join('');
  },
} satisfies Record<string, Way>;

export const ways: Record<keyof typeof single | keyof typeof several | keyof typeof others, Way> = {
  ...single,
  ...several,
  ...others,
};

export const singleWays = Object.keys(single) as (keyof typeof single)[];
export const severalWays = Object.keys(several) as (keyof typeof several)[];

function counted(size: number, unit: (i: number) => string): string {
  const made: string[] = [];
  for (let [i, length] = [0, 0]; length < size; i++) {
    const each = unit(i);
    made.push(each);
    length += each.length;
  }
  return made.join('');
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function randomOf(seed: string): () => number {
  let state = 0;
  for (const letter of seed) state = (Math.imul(state, 31) + letter.codePointAt(0)!) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
