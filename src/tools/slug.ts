import { z } from 'zod';
import { defineTool, price } from './tool.ts';

export const slug = defineTool({
  name: 'slug',
  summary: 'Turn a title into a slug for URLs and file names',
  description: `Words are Unicode letters and digits. Apostrophes vanish, all other punctuation separates.
An input without a word gives an empty slug.`,
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
    const composed = input.normalize('NFC');
    const text = transliterate ? await toAscii(composed) : composed;
    const words = text
      .toLowerCase()
      .replace(/['’‘ʼ`´]/g, '')
      .match(/[\p{L}\p{N}\p{M}]+/gu);
    return { slug: join(words ?? [], separator, max_length), original: input, separator };
  },
});

/** The tables are large, so they are read when they are first needed. */
async function toAscii(text: string): Promise<string> {
  const { transliterate } = await import('transliteration');
  return transliterate(text);
}

/** As many words as fit; of a first word that is too long, as much as fits. */
function join(words: string[], separator: string, limit: number): string {
  if (limit === 0) return words.join(separator);
  const fitting = [[...(words[0] ?? '')].slice(0, limit).join('')];
  let length = [...fitting[0]!].length;
  for (const word of words.slice(1)) {
    length += [...separator].length + [...word].length;
    if (length > limit) break;
    fitting.push(word);
  }
  return fitting.join(separator);
}
