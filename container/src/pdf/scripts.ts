/** The writing systems of a document, as far as they decide on fonts, language and direction. */
export interface Scripts {
  /** Whether the compiler's own fonts do not suffice. They have Latin, Greek, Cyrillic and mathematics. */
  foreign: boolean;
  /** Fonts in the order in which they are tried. The compiler then tries all others. */
  fonts: string[];
  /** Regular expression of the characters that are emoji here, and not text. */
  emoji: string;
  /** The language that most text of the script is in; null if the script has many. */
  language: string | null;
  direction: 'ltr' | 'rtl';
}

/** A script that is written from right to left, or belongs to one language. */
const languages = [
  { letters: /\p{sc=Arabic}/gu, language: 'ar', rtl: true },
  { letters: /\p{sc=Hebrew}/gu, language: 'he', rtl: true },
  { letters: /\p{sc=Thaana}/gu, language: 'dv', rtl: true },
  { letters: /\p{sc=Syriac}/gu, language: 'syr', rtl: true },
  { letters: /\p{sc=Nko}/gu, language: 'nqo', rtl: true },
  { letters: /\p{sc=Adlam}/gu, language: 'ff', rtl: true },
  { letters: /\p{sc=Hanifi_Rohingya}/gu, language: 'rhg', rtl: true },
  { letters: /\p{sc=Hangul}/gu, language: 'ko', rtl: false },
  { letters: /[\p{sc=Hiragana}\p{sc=Katakana}]/gu, language: 'ja', rtl: false },
  { letters: /\p{sc=Han}/gu, language: 'zh', rtl: false },
];

/** Examines a document in Typst that was made with template.typ. */
export function scriptsOf(text: string): Scripts {
  const foreign =
    /[^\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Common}\p{sc=Inherited}]|\p{Emoji_Presentation}|\uFE0F/u.test(
      text,
    );
  const main = foreign ? mainOf(text) : undefined;
  const chosen = new Set(
    Array.from(text.matchAll(/[^\p{ASCII}](?=\uFE0F)/gu), ([character]) => character),
  );
  return {
    foreign,
    fonts: foreign ? ['Noto Naskh Arabic', 'Noto Sans Hebrew', ...eastAsian(text), emojiFont] : [],
    emoji: `[\\p{Emoji_Presentation}${[...chosen].join('')}]`,
    language: main?.language ?? null,
    direction: main?.rtl ? 'rtl' : 'ltr',
  };
}

/** Returns the script of at least a third of the letters in the body. */
function mainOf(text: string) {
  const body = text.slice(text.indexOf(beforeBody));
  const count = (letters: RegExp) => body.match(letters)?.length ?? 0;
  const han = count(/\p{sc=Han}/gu);
  const [most] = languages
    .map((one) => ({ ...one, count: count(one.letters) }))
    // Japanese may have more Chinese characters than its own.
    .map((one) =>
      one.language === 'ja' && one.count > 0 ? { ...one, count: one.count + han } : one,
    )
    .toSorted((a, b) => b.count - a.count);
  return most && most.count * 3 > count(/\p{L}/gu) ? most : undefined;
}

/** The last line of template.typ before the text of the document. Pandoc escapes `//` in all text. */
const beforeBody = '// Body';

/** The font of emoji. It also has the digits of keycaps, so it comes last. */
const emojiFont = 'Noto Color Emoji';

/**
 * Returns the fonts of Chinese, Japanese and Korean. They share characters but draw them differently: a text
 * with kana is taken for Japanese, a text with hangul for Korean.
 */
function eastAsian(text: string): string[] {
  const chinese = 'Noto Sans S Chinese';
  const [japanese, korean] = ['Noto Sans Japanese', 'Noto Sans Korean'];
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return [japanese, chinese, korean];
  return /\p{sc=Hangul}/u.test(text) ? [korean, chinese, japanese] : [chinese, japanese, korean];
}
