import { expect, it } from 'vitest';
import { slug } from '../../src/tools/slug.ts';
import { run } from './run.ts';

it.each([
  [{ input: 'Hello, World!' }, 'hello-world'],
  [{ input: "It's a dog’s life" }, 'its-a-dogs-life'],
  [{ input: 'Ünïcode Straße' }, 'ünïcode-straße'],
  [{ input: 'Ünïcode Straße', transliterate: true }, 'unicode-strasse'],
  [{ input: '北京 Жизнь', transliterate: true }, 'bei-jing-zhizn'],
  [{ input: 'e\u0301te\u0301', transliterate: true }, 'ete'],
  [{ input: 'a b c', separator: '_' }, 'a_b_c'],
  [{ input: 'a b c', separator: '' }, 'abc'],
  [{ input: 'alpha beta gamma', max_length: 12 }, 'alpha-beta'],
  [{ input: 'alpha beta', max_length: 10 }, 'alpha-beta'],
  [{ input: 'incomprehensibilities', max_length: 5 }, 'incom'],
  [{ input: 'co\u00adoperate' }, 'cooperate'],
  [{ input: '\uFEFFa\u2060b' }, 'ab'],
  [{ input: '€100, 1️⃣' }, '100-1'],
  [{ input: '€100 Brand™', transliterate: true }, '100-brand'],
  [{ input: '1½ ﬁne 𝓗', transliterate: true }, '1-1-2-fine-h'],
  [{ input: 'हिन्दी', max_length: 3 }, 'हि'],
  [{ input: 'می\u200cخواهم' }, 'می\u200cخواهم'],
  [{ input: 'col·legi צה"ל Ինչպե՞ս' }, 'collegi-צהל-ինչպես'],
  [{ input: '!!! 😀' }, ''],
  [{ input: '' }, ''],
])('%j', async (input, output) => {
  expect(await run(slug, input)).toEqual({
    slug: output,
    original: input.input,
    separator: 'separator' in input ? input.separator : '-',
  });
});
