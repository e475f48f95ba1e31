import { at, pairs, rule, words, type Rule } from '../rule.ts';

export const casualWords: Rule[] = [
  rule(/\b(I|we|you|they) would like to\b/g, "$1'd like to"),
  rule(/\b(p)lease do not hesitate to\b/gi, (_, p) =>
    p === 'P' ? 'Feel free to' : 'feel free to',
  ),
  rule(/\bdo not hesitate to\b/gi, 'feel free to'),
  rule(at(String.raw`dear (?=(?:(?:Mr|Mrs|Ms|Dr)\.? )?\p{Lu}\p{L}+)`), 'Hi '),
  rule(
    at(
      String.raw`(?:sincerely|yours sincerely|yours faithfully|kind regards|best regards|yours truly),?(?=\s*\n|\s*$)`,
    ),
    'Cheers,',
  ),
  rule(/\b(t)hank you(?: very much)?(?= for\b|[.!,])/gi, '$1hanks'),
  words(
    pairs(`
    children > kids; as requested > as you asked; we regret to inform you that > we're sorry, but;
    i regret to inform you that > I'm sorry, but; it is my pleasure to > I'm happy to;
    we are pleased to inform you that > good news:; i am pleased to inform you that > good news:;
    a great deal of > a lot of; a large number of > a lot of; upon receipt of > when we get;
    many > lots of
  `),
    {
      after: 'how|so|too|as|not|very|many|these|those|the|our|my|your|their|its|his|her',
      before: 'of|a|an|more|people|thanks',
    },
  ),
];
