import { describe, expect, it } from 'vitest';
import { languageOf, mayBeEnglish, mayShareLanguage } from '../../src/text/language.ts';
import { languages } from '../tools/languages.ts';

const codes = {
  english: 'en',
  german: 'de',
  french: 'fr',
  spanish: 'es',
  russian: 'ru',
  japanese: 'ja',
  chinese: 'zh',
  arabic: 'ar',
};

describe('a language', () => {
  it.each(Object.entries(codes))('is told: %s', (name, code) => {
    expect(languageOf(languages[name]!.join(' '))).toBe(code);
  });

  it.each(['', '42', '🎉', 'npm install', 'const x = f(y);', 'Hello'])(
    'is not guessed: %j',
    (text) => {
      expect(languageOf(text)).toBeUndefined();
      expect(mayBeEnglish(text)).toBe(true);
    },
  );

  it.each([
    'See https://example.com/a?b=1, and run `npm ci` in the folder of the project.',
    'lol i think it is gonna rain',
    'Fix the bug ASAP',
    'Project Manager: um, we decided upon a universal control.',
  ])('may be English: %s', (text) => {
    expect(mayBeEnglish(text)).toBe(true);
  });

  it('is shared by texts unless they are known to differ', () => {
    for (const [name, sentences] of Object.entries(languages)) {
      const text = sentences.join(' ');
      expect(mayShareLanguage(text, sentences.slice(0, 3).join(' ')), name).toBe(true);
      const latin = /\p{Script=Latin}/u.test(text);
      expect(mayShareLanguage(text, 'OK 42!'), name).toBe(latin);
      for (const [other, others] of Object.entries(languages)) {
        if (other !== name)
          expect(mayShareLanguage(text, others.join(' ')), `${name} ${other}`).toBe(false);
      }
    }
  });
});
