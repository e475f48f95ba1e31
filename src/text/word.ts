/*
 * Words as names and slugs are made of. The rules are those of Unicode's word boundaries (UAX #29), but
 * languages without spaces stay in one piece, and `.`, `:` and `_` separate words.
 */

/** Invisible characters without a meaning in a word. ZWSP is not among them: it separates words. */
const invisible = /(?![\u180b-\u180f\u200b-\u200d])\p{Default_Ignorable_Code_Point}/gu;

/** A mark is part of the character before it. A keycap's frame (category Me) encloses an emoji. */
export const mark = String.raw`[\p{Mn}\p{Mc}\u200c\u200d]`;

/** Joiners count before another letter, and after a mark, such as a virama, at the end of a word. */
const part = String.raw`(?:[\p{L}\p{N}\p{Mn}\p{Mc}]|[\u200c\u200d](?=[\p{L}\p{M}])|(?<=\p{M})\u200d)`;
const run = String.raw`[\p{L}\p{N}]${part}*`;

/**
 * Punctuation inside a word: apostrophes, the Catalan middle dot, the hyphenation point, Armenian
 * question and stress marks, and Hebrew geresh and gershayim.
 */
const inner = String.raw`['’‘＇\x60´ʼ·‧՚-՜՞׳״]|(?<=\p{Script=Hebrew})"(?=\p{Script=Hebrew})`;
const word = new RegExp(
  String.raw`${run}(?:(?<=[\p{L}\p{M}\u200d])(?:${inner})(?=\p{L})${run})*`,
  'gu',
);
const innerMark = new RegExp(inner, 'gu');

/** The words of a text, with the punctuation that stands inside them. */
export const wordsIn = (text: string): string[] => text.replace(invisible, '').match(word) ?? [];

/** Words without the punctuation inside them. */
export const lettersOf = (words: string[]): string[] =>
  words.join(' ').replace(innerMark, '').split(' ');
