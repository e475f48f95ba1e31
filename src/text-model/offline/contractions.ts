import { rule, type Rule } from './rule.ts';

const pronoun = 'I|you|he|she|it|we|they|this|that|these|those|there|who';
const auxiliary = 'do|does|did|is|are|was|were|has|have|had|would|could|should|will|can|must|need';

const negated = (stem: string): string => {
  const word = stem.toLowerCase();
  const full = word === 'wo' ? 'will' : word === 'ca' ? 'can' : word === 'sha' ? 'shall' : word;
  return /^\p{Lu}/u.test(stem) ? full.charAt(0).toUpperCase() + full.slice(1) : full;
};

/** Participles after which `'s` means `has` and not `is`, and `'d` means `had` and not `would`. */
const perfect = 'been|got|had|become';
const past = String.raw`been|better|already|(?!(?:need|feed|speed|bleed|breed|heed|proceed|succeed|exceed|embed|shed)\b)\w{2,}ed`;

/** Expands contractions: `it's` becomes `it is`. A possible possessive (`Anna's`) is kept. */
export const expand: Rule[] = [
  rule(/\bain['’]t\b/gi, 'is not'),
  rule(/\b(I) is not\b/g, '$1 am not'),
  rule(/\b(we|you|they) is not\b/gi, '$1 are not'),
  rule(/\b((?:I|you|we|they)['’]ve|have) gotta\b/gi, '$1 to'),
  rule(/\b(he|she|it)['’]s gotta\b/gi, '$1 has to'),
  // In questions the order changes: "Don't you …?" becomes "Do you not …?"
  rule(
    new RegExp(
      String.raw`\b(do|does|did|is|are|was|were|has|have|had|would|could|should|wo|ca)n['’]t (${pronoun})\b(?!['’])`,
      'gi',
    ),
    (_, stem, subject) => `${negated(stem!)} ${subject} not`,
  ),
  rule(/\bcan['’]t\b/g, 'cannot'),
  rule(/\bCan['’]t\b/g, 'Cannot'),
  rule(
    new RegExp(String.raw`\b(${auxiliary}|wo|ca|sha|might|ought)n['’]t\b`, 'gi'),
    (_, stem) => `${negated(stem!)} not`,
  ),
  rule(/\b(let)['’]s\b/gi, '$1 us'),
  rule(
    new RegExp(
      String.raw`\b(${pronoun}|what|where|here|how)['’]s (?=(?:not |never |already |just )?(?:${perfect})\b)`,
      'gi',
    ),
    '$1 has ',
  ),
  rule(new RegExp(String.raw`\b(${pronoun}|what|where|here|how|when|why)['’]s\b`, 'gi'), '$1 is'),
  // "The app's so slow": before these words `'s` cannot be a possessive.
  rule(
    /(?<=\p{L})['’]s (?=(?:super|really|so|very|too|not|going to|gonna|just|still|already|quite|pretty)\b)/gu,
    ' is ',
  ),
  rule(/\b(I)['’]m\b/gi, '$1 am'),
  rule(new RegExp(String.raw`\b(${pronoun}|what)['’]re\b`, 'gi'), '$1 are'),
  rule(
    new RegExp(String.raw`\b(${pronoun}|what|would|could|should|might|must)['’]ve\b`, 'gi'),
    '$1 have',
  ),
  rule(new RegExp(String.raw`\b(${pronoun}|what)['’]ll\b`, 'gi'), '$1 will'),
  rule(new RegExp(String.raw`\b(${pronoun})['’]d (?=(?:${past})\b)`, 'gi'), '$1 had '),
  rule(new RegExp(String.raw`\b(${pronoun})['’]d\b`, 'gi'), '$1 would'),
];

/** A word follows before which the full form is not stressed: "it is, and …" is never contracted. */
const goesOn = String.raw`(?=\s+(?!(?:and|or|but|that|if|when|because|as|not)\b)[\p{L}\p{N}\u{F0000}-\u{FFFFD}])`;
const notAsked = String.raw`(?<!\b(?:what|who|where|how|as|than|whatever|whoever|wherever|which)\s)`;

const contracted = (pattern: string, to: string): Rule =>
  rule(new RegExp(notAsked + pattern + goesOn, 'giu'), to);

/** Contracts: `it is` becomes `it's` where that is usual. */
export const contract: Rule[] = [
  rule(/\b(c)annot\b|\b(c)an not\b(?! only)/gi, (_, one, two) => `${one ?? two}an't`),
  rule(/\b(w)ill not\b/gi, "$1on't"),
  rule(/\b(do|does|did|is|are|was|were|has|have|had|would|could|should) not\b(?! only)/gi, "$1n't"),
  rule(/\b(let) us\b(?= (?!know|have|be\b|in\b)\p{Ll})/giu, "$1's"),
  rule(new RegExp(String.raw`${notAsked}\b(I) am(?=\s+[\p{L}\p{N}])`, 'gu'), "$1'm"),
  contracted(String.raw`\b(you|we|they) are`, "$1're"),
  contracted(String.raw`\b(it|he|she|that|there|what|here) is`, "$1's"),
  contracted(String.raw`\b(I|you|he|she|it|we|they) will`, "$1'll"),
  contracted(String.raw`\b(I|you|he|she|we|they) would`, "$1'd"),
  rule(
    /\b(I|you|we|they) have (?=(?:\w{2,}ed|been|done|made|seen|had|got|found|taken|sent|built|decided|come|gone|given|written|shown|lost|left|kept|put|set)\b)/gi,
    "$1've ",
  ),
];
