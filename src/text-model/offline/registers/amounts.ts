import { matched, rule } from '../rule.ts';

const plural = /^(?:\p{Ll}+ )?(?:\p{Ll}+[^su]s|people|children|men|women)\b/u;
const mass =
  /^(?:time|work|money|effort|information|help|traffic|attention|pressure|interest|experience|space|material|noise|trouble|progress)\b/;

/** Replaces `a lot of` by `many` before a known plural and by `considerable` before a known mass noun. */
export const amounts = rule(
  /\b([Aa]|[Ll])(?: lot|ots| bunch| ton| couple) of (?=(\p{Ll}+ ?\p{Ll}*))/gu,
  (whole, first, noun) => {
    const word = plural.test(noun!) ? 'many ' : mass.test(noun!) ? 'considerable ' : undefined;
    return word ? matched(first!, word) : whole!;
  },
);

const graded =
  'good|bad|nice|hard|difficult|easy|big|small|fast|slow|late|early|tired|happy|busy|important|useful|simple|close|clear|sure|new|old|long|short|high|low|great|strong|weak|cheap|expensive|helpful|quick|interesting';

/** Replaces intensifiers before gradable adjectives, as in `it is pretty hard`. */
export const softened = (degree: string) =>
  rule(
    new RegExp(
      String.raw`(?<=\b(?:is|are|was|were|be|been|looks?|seems?|feels?|sounds?|['’]s|['’]re)\s)(?:pretty|really|super|so|totally) (?=(?:${graded})\b(?! that\b))`,
      'gi',
    ),
    degree,
  );
