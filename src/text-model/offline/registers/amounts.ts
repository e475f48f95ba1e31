import { matched, rule } from '../rule.ts';

const plural = /^(?:\p{Ll}+ )?(?:\p{Ll}+[^su]s|people|children|men|women)\b/u;
const mass =
  /^(?:time|work|money|effort|information|help|traffic|attention|pressure|interest|experience|space|material|noise|trouble|progress)\b/;

/** `a lot of` is neither many nor much, so what it counts must be known. */
export const amounts = rule(
  /\b([Aa]|[Ll])(?: lot|ots| bunch| ton| couple) of (?=(\p{Ll}+ ?\p{Ll}*))/gu,
  (whole, first, noun) => {
    const word = plural.test(noun!) ? 'many ' : mass.test(noun!) ? 'considerable ' : undefined;
    return word ? matched(first!, word) : whole!;
  },
);
