import { z } from 'zod';
import { lettersOf, wordsIn } from '../text/word.ts';
import { defineTool, price } from './tool.ts';

export const slug = defineTool({
  name: 'slug',
  summary: 'Turn a title into a slug for URLs and file names',
  description: `Words are Unicode letters with their marks, and digits. Apostrophes vanish; all other punctuation
and symbols separate. An input without a word gives an empty slug.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({
      input: z.string(),
      separator: z.string().max(16).default('-'),
      max_length: z
        .int()
        .min(0)
        .default(0)
        .describe(
          'Maximum number of characters; the slug is cut between words if possible; 0 means no limit',
        ),
      transliterate: z
        .boolean()
        .default(false)
        .describe('Converts to ASCII: ß → ss, ü → u, 北京 → bei-jing'),
    });
  },
  get output() {
    return z.object({ slug: z.string(), original: z.string(), separator: z.string() });
  },
  examples: [
    { title: 'a title', input: { input: "It's a Wonderful Life!" } },
    {
      title: 'transliterated and cut',
      input: { input: 'Übergrößenträger in 北京', transliterate: true, max_length: 24 },
    },
  ],
  async run({ input, separator, max_length, transliterate }) {
    const words = lettersOf(wordsIn(input.normalize('NFC')));
    const slugWords = transliterate ? await toAscii(words) : words;
    const lower = slugWords.filter(Boolean).map((word) => word.toLowerCase());
    return { slug: join(lower, separator, max_length), original: input, separator };
  },
});

/** Transliterates words. The tables are large, so they are loaded at the first use. */
async function toAscii(words: string[]): Promise<string[]> {
  const { transliterate } = await import('transliteration');
  // A fraction after a number is a second number. NFKC replaces ligatures by letters that the tables know.
  const apart = words.join(' ').replace(/(?<=\p{N})(?=[¼-¾⅐-⅞])/gu, ' ');
  const ascii = transliterate(apart.normalize('NFKC'));
  return (
    lettersOf([ascii])
      .join(' ')
      .match(/[a-z\d]+/gi) ?? []
  );
}

/** Joins as many words as fit. A first word that is too long is cut. */
function join([first = '', ...others]: string[], separator: string, limit: number): string {
  if (limit === 0) return [first, ...others].join(separator);
  const fitting = [beginning(first, limit)];
  let length = lengthOf(fitting[0]!);
  for (const word of others) {
    length += lengthOf(separator) + lengthOf(word);
    if (length > limit) break;
    fitting.push(word);
  }
  return fitting.join(separator);
}

const lengthOf = (text: string) => [...text].length;

/** Returns the beginning of a word without separating a letter from its marks. */
function beginning(word: string, limit: number): string {
  if (lengthOf(word) <= limit) return word;
  let [end, length] = [0, 0];
  for (const { segment } of new Intl.Segmenter('und').segment(word)) {
    length += lengthOf(segment);
    if (length > limit) break;
    end += segment.length;
  }
  return word.slice(0, end);
}
