import { amounts, softened } from './amounts.ts';
import { at, atCased, pairs, rule, verbs, words, type Rule } from '../rule.ts';

export const formalWords: Rule[] = [
  amounts,
  softened('very '),
  rule(/\bpretty much\b/gi, 'largely'),
  words(
    pairs(`
    really; totally; basically; literally; super > very
  `),
    {
      after:
        "not|n['’]t|isn['’]t|wasn['’]t|doesn['’]t|don['’]t|didn['’]t|aren['’]t|how|is|are|was|were|be",
      before: 'and|or|a|an',
    },
  ),
  words(
    pairs(`
    just
  `),
    {
      after: "a|the|is|are|was|were|only|not|n['’]t|has|have|had",
      before:
        'as|in|because|like|now|about|then|before|after|cause|and|a|an|the|one|two|under|over',
    },
  ),
  rule(
    /(?<!\bplease )\b(l)et (me|us) know\b/gi,
    (_, l, whom) => `${l === 'L' ? 'Please' : 'please'} inform ${whom}`,
  ),
  rule(/\b(please) let (me|us) know\b/gi, '$1 inform $2'),
  rule(/\btell (me|you|us|them|him|her) (?=that\b|about\b|of\b)/g, 'inform $1 '),
  verbs(
    pairs(`
    find out > determine; figure out > determine; look into > investigate; look at > examine;
    point out > indicate; talk about > discuss; ask for > request; deal with > address;
    make sure > ensure; think about > consider; get in touch with > contact; get rid of > remove;
    come up with > devise; put up with > tolerate; check out > review; buy > purchase
  `),
    pairs(`
    fix > resolve
  `),
  ),
  rule(/\b(w)ant(s|ed)? to\b/g, (_, w, s) => `${w}ish${s === 's' ? 'es' : (s ?? '')} to`),
  words(
    pairs(`
    awesome > excellent; amazing > excellent; huge > substantial; big deal > important matter;
    bigger > larger; biggest > largest; right away > immediately; right now > currently;
    at the moment > currently; anyways > in any case; docs > documentation; run into > encounter; runs into > encounters;
    ran into > encountered; running into > encountering; so far > to date; mad at > angry with
  `),
  ),
  rule(
    atCased(String.raw`(?:[Hh]i|[Hh]ey|[Hh]ello|[Hh]iya)(?: there)?,? (?=\p{Lu}\p{L}+,)`),
    'Dear ',
  ),
  rule(at('sorry for '), 'I apologize for '),
  rule(at('just a quick heads[- ]up that '), 'Please note that '),
  rule(at('i guess '), 'I believe '),
  rule(/\bdo not forget to\b/g, 'please remember to'),
  rule(at('do not forget to '), 'Please remember to '),
  rule(/\bthe best thing to do is (?:to )?/g, 'the best course of action is to '),
  rule(/\bhard to (?=\p{Ll})/gu, 'difficult to '),
  rule(/\bget back to (?=(?:you|me|us|them)\b)/g, 'reply to '),
  rule(/\b(have|has) got (?!to\b)/g, '$1 '),
  rule(at(String.raw`(?:hi|hey|hiya)(?: there)?(?=[,. ])`), 'Hello'),
  rule(at(String.raw`(?:ok|okay|so|well|anyway|oh), (\p{L})`), (_, letter) =>
    letter!.toUpperCase(),
  ),
  rule(
    at(String.raw`but (?=(?:I|we|you|he|she|it|they|this|that|the|there|our|my|your)\b)`),
    'However, ',
  ),
  rule(
    at(
      String.raw`(?:and|plus,?|also,) (?=(?:I|we|you|he|she|it|they|this|that|the|there|our|my|your)\b)`,
    ),
    'In addition, ',
  ),
  rule(
    at(String.raw`so (?=(?:I|we|you|he|she|it|they|this|the|there|our|my|your)\b)`),
    'Therefore, ',
  ),
  rule(
    /\b(?<!(?:many|with|no)\s)([Tt])hanks(?! to\b)(?: (?:so much|a lot|a bunch))?/g,
    '$1hank you',
  ),
  rule(at('(?:also|plus), '), 'In addition, '),
  rule(at(String.raw`cheers,?(?=\s*\n|\s*$)`), 'Kind regards,'),
];

/** Joins a fragment with the sentence before: `I left. Because I was tired.` */
export const joined = rule(
  /(?<=\p{L}{2})\. (Because|Since) (?=[^,.!?\n]{1,80}[.!?])/gu,
  (_, word) => ` ${word!.toLowerCase()} `,
);
