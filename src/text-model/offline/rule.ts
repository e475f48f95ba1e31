import { formsOf } from './forms.ts';

/** Changes every place that a pattern matches. */
export type Rule = (text: string) => string;

/** A rule by a pattern; `$1` and the like work. */
export const rule =
  (pattern: RegExp, to: string | ((...match: string[]) => string)): Rule =>
  (text) =>
    text.replace(pattern, to as string);

/** A word list: `in order to > to; due to the fact that > because`. Without `>` a word goes away. */
export function pairs(list: string): Record<string, string> {
  const entries = list.split(';').map((entry) => entry.split('>').map((side) => side.trim()));
  return Object.fromEntries(entries.map(([from = '', to = '']) => [from, to]));
}

/** Stands where a sentence lost its first word: what follows gets the capital. Of Unicode's private use. */
export const capital = '\u{100000}';

/** The rule that a beginning goes away. */
export const dropped = (pattern: RegExp): Rule =>
  rule(pattern, (found) => (/^\p{Lu}/u.test(found!) ? capital : ''));

/** The beginning of a sentence: of the text, of a line with its list marker, or after a full stop. */
const start = String.raw`(?<=^[ \t]{0,20}(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)])[ \t]{1,4}){0,4}|[.!?]["”’)]*[ \t]+)(?<!\b(?:[A-Z]|Mrs?|Ms|Dr|Prof|St|Gen|Lt|Sgt|Capt|Rev|Hon)\.[ \t]+)`;

/** A pattern for the beginning of a sentence, whatever its letters' case. */
export const at = (pattern: string) => new RegExp(start + pattern, 'gimu');
/** The same where a capital means a name. */
export const atCased = (pattern: string) => new RegExp(start + pattern, 'gmu');

/** Not `$`, which is the end of any line. */
const startsHere = new RegExp(String.raw`${start}(?![\s\S])`, 'mu');
const vowel = /^(?:[aeio]|u(?!ni(?!n)|s[aeu]|ti|bi|r[aeio]))|^hono|^hour|^heir/i;
const silent = /^(?:one\b|once\b|eu)/i;
const article = (word: string) => (vowel.test(word) && !silent.test(word) ? 'an' : 'a');

/**
 * Replaces words and phrases by others, or by nothing. A capital at the beginning of a sentence stays
 * one; elsewhere it means a name, which nobody rewrites. `a` and `an` follow the new word.
 *
 * @param guards what may not come before and after, as patterns
 */
export function words(
  pairs: Record<string, string>,
  guards: { after?: string; before?: string } = {},
): Rule {
  const table = new Map(Object.entries(pairs));
  if (table.size === 0) return (text) => text;
  // The longest first, since the first that matches is taken.
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

/** Writes a word with the capital that another one has. */
export const matched = (like: string, word: string) =>
  /^\P{L}*\p{Lu}/u.test(like) ? word.charAt(0).toUpperCase() + word.slice(1) : word;

const pronouns = 'it|them|him|her|me|us|you';
const verbPlaces =
  "to|will|would|can|could|should|must|may|might|shall|not|don['’]t|didn['’]t|doesn['’]t|cannot|can['’]t|won['’]t|please|I|we|you|they|and";

/**
 * Replaces verbs in all their forms.
 *
 * @param nouns the verbs that are nouns too: their base form counts only where a verb must stand
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
    // `needs storing` is not `requires storing`.
    words(only('need'), { before: String.raw`\w+ing` }),
    // `carry it out` would have to be put in another order.
    words(only('phrase'), { before: pronouns }),
    words(only('active'), { after: 'is|are|was|were|be|been|being|has|have|had' }),
    afterVerbPlace(guarded),
  ];
  return (text) => rules.reduce((result, each) => each(result), text);
}

function groupOf(verb: string): string {
  // Nothing `was got`.
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
