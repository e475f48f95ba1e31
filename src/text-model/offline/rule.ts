import { formsOf } from './forms.ts';

/** A function that rewrites a text. */
export type Rule = (text: string) => string;

/** Returns a rule that replaces all matches of a pattern. `to` may refer to groups, such as `$1`. */
export const rule =
  (pattern: RegExp, to: string | ((...match: string[]) => string)): Rule =>
  (text) =>
    text.replace(pattern, to as string);

/**
 * Parses a word list such as `in order to > to; due to the fact that > because`. Words without `>` are removed.
 */
export function pairs(list: string): Record<string, string> {
  const entries = list.split(';').map((entry) => entry.split('>').map((side) => side.trim()));
  return Object.fromEntries(entries.map(([from = '', to = '']) => [from, to]));
}

/** Private-use character in place of a removed first word: the next letter is capitalized. */
export const capital = '\u{100000}';

/** Returns a rule that removes the beginning of a sentence. */
export const dropped = (pattern: RegExp): Rule =>
  rule(pattern, (found) => (/^\p{Lu}/u.test(found!) ? capital : ''));

/** Matches the beginning of a sentence: of the text, of a line after its list marker, or after a full stop. */
const start = String.raw`(?<=^[ \t]{0,20}(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)])[ \t]{1,4}){0,4}|[.!?]["”’)]*[ \t]+)(?<!\b(?:[A-Z]|Mrs?|Ms|Dr|Prof|St|Gen|Lt|Sgt|Capt|Rev|Hon)\.[ \t]+)`;

/** Returns a case-insensitive pattern at the beginning of a sentence. */
export const at = (pattern: string) => new RegExp(start + pattern, 'gimu');
/** Returns a case-sensitive pattern at the beginning of a sentence. */
export const atCased = (pattern: string) => new RegExp(start + pattern, 'gmu');

/** Matches at the end of the text. `$` would also match at the end of a line. */
const startsHere = new RegExp(String.raw`${start}(?![\s\S])`, 'mu');
const vowel = /^(?:[aeio]|u(?!ni(?!n)|s[aeu]|ti|bi|r[aeio]))|^hono|^hour|^heir/i;
const silent = /^(?:one\b|once\b|eu)/i;
const article = (word: string) => (vowel.test(word) && !silent.test(word) ? 'an' : 'a');

/**
 * Returns a rule that replaces or removes words and phrases. A capital at the beginning of a sentence is kept;
 * elsewhere a capitalized word is a name and is not changed. `a` and `an` are adapted to the new word.
 *
 * @param guards patterns that must not match before or after a word
 */
export function words(
  pairs: Record<string, string>,
  guards: { after?: string; before?: string } = {},
): Rule {
  const table = new Map(Object.entries(pairs));
  if (table.size === 0) return (text) => text;
  // The longest phrases first, because the first alternative that matches wins.
  const phrases = [...table.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((phrase) =>
      phrase.replace(/[.*+?^$()[\]{}|\\]/g, String.raw`\$&`).replaceAll(' ', String.raw`\s+`),
    );
  const { after = '(?!)', before = '(?!)' } = guards;
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{N}'’-]|\b(?:${after})\s{1,3})(?:(an?)(\s+)|(?<!\ban?\s{1,3}))(${phrases.join('|')})(?![\p{L}\p{N}]|['’-]\p{L}|\s+(?:${before})\b)(\s+)?(?=([\p{L}\p{N}]*))`,
    'giu',
  );
  return (text) =>
    text.replace(pattern, (...found: (string | undefined)[]) => {
      const [whole = '', an = '', gap = '', phrase = '', space = '', next = ''] = found;
      const at = Number(found[6]);
      const lead = an ? an + gap : '';
      const inside = lead !== '' || !startsHere.test(text.slice(Math.max(0, at - 40), at));
      if (inside && /^\p{Lu}/u.test(phrase)) return whole;
      const to = table.get(phrase.toLowerCase().replace(/\s+/g, ' '))!;
      const led = an ? matched(an, article(to || next)) + gap : '';
      if (to !== '') return led + matched(phrase, to) + space;
      return !inside && /^\p{Lu}/u.test(phrase) ? capital : led;
    });
}

/** Capitalizes a word if another one is capitalized. */
export const matched = (like: string, word: string) =>
  /^\P{L}*\p{Lu}/u.test(like) ? word.charAt(0).toUpperCase() + word.slice(1) : word;

const pronouns = 'it|them|him|her|me|us|you';
const verbPlaces =
  "to|will|would|can|could|should|must|may|might|shall|not|don['’]t|didn['’]t|doesn['’]t|cannot|can['’]t|won['’]t|please|I|we|you|they|and";

/**
 * Returns a rule that replaces verbs in all their forms.
 *
 * @param nouns verbs that are nouns too; their base form is replaced only where it must be a verb
 */
export function verbs(pairs: Record<string, string>, nouns: Record<string, string> = {}): Rule {
  const all: Record<string, string> = {};
  const guarded: Record<string, string> = {};
  for (const [from, to] of [...Object.entries(pairs), ...Object.entries(nouns)]) {
    const target = formsOf(to);
    formsOf(from).forEach((form, index) => {
      const isNoun = index < 2 && Object.hasOwn(nouns, from);
      if (isNoun && index === 1) return;
      (isNoun ? guarded : all)[form] = target[index]!;
    });
  }
  const only = (group: string) =>
    Object.fromEntries(Object.entries(all).filter(([, to]) => groupOf(to) === group));
  const rules = [
    words(only('plain')),
    // `requires storing` does not become `needs storing`, which has another meaning.
    words(only('need'), { before: String.raw`\w+ing` }),
    // A pronoun after a phrasal verb would need another word order: `carry it out`.
    words(only('phrase'), { before: pronouns }),
    words(only('active'), { after: 'is|are|was|were|be|been|being|has|have|had' }),
    afterVerbPlace(guarded),
  ];
  return (text) => rules.reduce((result, each) => each(result), text);
}

function groupOf(verb: string): string {
  // `got` and `had` have no passive.
  if (/^(?:got|had)\b/.test(verb)) return 'active';
  if (verb.startsWith('need')) return 'need';
  return verb.includes(' ') ? 'phrase' : 'plain';
}

function afterVerbPlace(pairs: Record<string, string>): Rule {
  if (Object.keys(pairs).length === 0) return (text) => text;
  const pattern = new RegExp(
    String.raw`(?<=\b(?:${verbPlaces})\s{1,3})(${Object.keys(pairs).join('|')})(?![\p{L}\p{N}'’-])(?=(\s+(?:${pronouns})\b)?)`,
    'gu',
  );
  return rule(pattern, (verb, _, object) =>
    object && pairs[verb!]!.includes(' ') ? verb! : pairs[verb!]!,
  );
}
