import { customAlphabet, nanoid } from 'nanoid';
import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { defineTool, price } from './tool.ts';

const classes = {
  uppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  numbers: '0123456789',
  symbols: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
};
const base62 = classes.numbers + classes.uppercase + classes.lowercase;
const lookAlikes = /[Il1|O0o]/g;

const type = z.enum(['password', 'token', 'nanoid']);
const wanted = z.boolean().default(true);
const passwordOptions = z.object({
  uppercase: wanted,
  lowercase: wanted,
  numbers: wanted,
  symbols: wanted.describe('The 32 printable ASCII characters that are neither letters nor digits'),
  exclude_ambiguous: z.boolean().default(false).describe('Leaves out I, l, 1, |, O, 0 and o'),
});

export const generate = defineTool({
  name: 'generate',
  summary: 'Generate passwords, tokens and nanoids',
  description: `Every character is drawn uniformly from the cryptographic generator of the platform.

- A **password** has at least one character of every selected class. All such passwords are equally likely, and
  \`entropy\` counts only them.
- A **token** uses base62 (ASCII letters and digits). A **nanoid** uses 64 URL-safe characters.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({
      type,
      length: z.int().min(1).max(4096).default(16),
      options: passwordOptions
        .prefault({})
        .describe('For passwords; all four classes are selected by default'),
    });
  },
  get output() {
    return z.object({
      value: z.string(),
      type,
      length: z.int(),
      entropy: z.number().describe('In bits'),
    });
  },
  examples: [
    { title: 'a password', input: { type: 'password', length: 20 } },
    { title: 'a token without symbols', input: { type: 'token', length: 32 } },
  ],
  run({ type, length, options }) {
    if (type === 'password') return { ...password(length, options), type, length };
    const [value, symbols] = type === 'token' ? [token(length), 62] : [nanoid(length), 64];
    return { value, type, length, entropy: length * Math.log2(symbols) };
  },
});

const token = (length: number) => customAlphabet(base62, length)();

function password(length: number, options: z.output<typeof passwordOptions>) {
  const alphabets = Object.entries(classes)
    .filter(([name]) => options[name as keyof typeof classes])
    .map(([, letters]) => (options.exclude_ambiguous ? letters.replace(lookAlikes, '') : letters));
  if (alphabets.length === 0) throw invalidInput('options', 'turns every class of characters off');
  if (length < alphabets.length) {
    throw invalidInput('length', `must be at least ${alphabets.length}, one for each class`);
  }
  const draw = customAlphabet(alphabets.join(''), length);
  // Drawing again until every class occurs keeps all passwords equally likely. The worst case, four
  // characters of four classes, takes fifteen draws on average.
  const complete = (text: string) =>
    alphabets.every((set) => [...set].some((c) => text.includes(c)));
  let value = draw();
  while (!complete(value)) value = draw();
  return {
    value,
    entropy: passwordEntropy(
      length,
      alphabets.map((set) => set.length),
    ),
  };
}

/**
 * Returns log2 of the number of strings in which every class occurs, by inclusion and exclusion:
 * N^L − Σ (N − a)^L + Σ (N − a − b)^L − …
 */
function passwordEntropy(length: number, sizes: number[]): number {
  const all = sizes.reduce((a, b) => a + b, 0);
  let share = 0;
  for (let subset = 0; subset < 1 << sizes.length; subset++) {
    const left = sizes.filter((_, i) => subset & (1 << i));
    const without = left.reduce((a, b) => a - b, all);
    share += (left.length % 2 ? -1 : 1) * (without / all) ** length;
  }
  return length * Math.log2(all) + Math.log2(share);
}
