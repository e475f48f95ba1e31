import { amounts, softened } from './amounts.ts';
import { at, dropped, matched, pairs, rule, words, type Rule } from '../rule.ts';

/** Replaces wordy phrases by shorter ones. */
export const wordy = words(
  pairs(`
    in order to > to; so as to > to; due to the fact that > because;
    owing to the fact that > because; because of the fact that > because;
    in light of the fact that > because; for the reason that > because;
    in spite of the fact that > although; despite the fact that > although;
    regardless of the fact that > although; in the event that > if; in the event of > if there is;
    on the condition that > if; at this point in time > now; at the present time > now;
    at this moment in time > now; at that point in time > then; in the near future > soon;
    at some point in the future > later; until such time as > until;
    during the course of > during; in the course of > during; for the duration of > during;
    for the purpose of > for; for the purposes of > for; with the exception of > except;
    with regard to > about; with regards to > about; in regard to > about;
    with respect to > about; with reference to > about; in relation to > about;
    on the subject of > about; in connection with > about; in the absence of > without;
    in close proximity to > near; in the vicinity of > near; in addition to > besides;
    as a result of > because of; on account of > because of; by means of > by; by virtue of > by;
    in the amount of > for; in excess of > more than; on a daily basis > daily;
    on a weekly basis > weekly; on a monthly basis > monthly; on a regular basis > regularly;
    in a timely manner > on time; in an efficient manner > efficiently; a large number of > many;
    a significant number of > many; a great number of > many; a great deal of > much;
    a number of > several; a majority of > most; the majority of > most;
    the vast majority of > most; has the ability to > can; have the ability to > can;
    has the capacity to > can; have the capacity to > can; is able to > can; are able to > can;
    is not able to > cannot; are not able to > cannot; was not able to > could not;
    were not able to > could not; was able to > could; were able to > could;
    is in a position to > can; are in a position to > can; has the opportunity to > can;
    have the opportunity to > can; make a decision > decide; makes a decision > decides;
    made a decision > decided; came to a decision > decided; make an assumption > assume;
    make use of > use; makes use of > uses; made use of > used; making use of > using;
    give consideration to > consider; gave consideration to > considered;
    take into consideration > consider; took into consideration > considered;
    take into account > consider; conduct an investigation into > investigate;
    conducted an investigation into > investigated; perform an analysis of > analyse;
    performed an analysis of > analysed; come to the conclusion that > conclude that;
    came to the conclusion that > concluded that; is in agreement with > agrees with;
    are in agreement with > agree with; has a tendency to > tends to;
    have a tendency to > tend to; have an impact on > affect; has an impact on > affects;
    had an impact on > affected; whether or not > whether; the reason why is that > because;
    the question as to whether > whether; as to whether > whether; each and every > every;
    first and foremost > first; any and all > all; end result > result; final outcome > outcome;
    past history > history; past experience > experience; advance planning > planning;
    advance warning > warning; future plans > plans; free gift > gift; added bonus > bonus;
    basic fundamentals > fundamentals; general consensus > consensus;
    unexpected surprise > surprise; close proximity > proximity; completely eliminate > eliminate;
    completely finished > finished; absolutely essential > essential;
    absolutely necessary > necessary; very unique > unique; revert back > revert; prior to > before; subsequent to > after; be in accordance with > follow;
    is in accordance with > follows; are in accordance with > follow;
    refer back > refer; return back > return; repeat again > repeat; combine together > combine;
    collaborate together > collaborate; join together > join; plan ahead > plan;
    period of time > period; point in time > time; subject matter > subject;
    the fact that there is > that there is
  `),
);

/** Shortens amounts before a determiner, where `of` must stay: `most of the users`. */
export const shares: Rule[] = [
  [String.raw`(?:the|a)(?: vast| great)? majority of`, 'most of'],
  [String.raw`a (?:large|significant|great) number of`, 'many of'],
  ['a number of', 'several of'],
].map(([amount, short = '']) =>
  rule(
    new RegExp(
      String.raw`\b${amount}(?= (?:the|our|these|those|them|us|its|their|his|her|my|your)\b)`,
      'gi',
    ),
    (found) => matched(found!, short),
  ),
);

const opening = String.raw`(?:it(?:['’]s| is| should be| must be) (?:important|worth|interesting|necessary|essential) (?:to note|noting|mentioning|to mention|to remember|to point out|to understand) that,?|it (?:should|must|may) be noted that|it goes without saying that|needless to say,|please (?:note|be advised|be aware) that|there is no doubt that|the fact of the matter is that|as a matter of fact,|for all intents and purposes,|at the end of the day,|when all is said and done,|in my (?:humble |personal )?opinion,|as you (?:may|might|probably|already) know,|to be honest,|to tell you the truth,|i just wanted to (?:say|let you know) that|i am writing to inform you that|just a quick heads[- ]up that|i guess)\s+`;

/** Removes introductory phrases without content. */
export const announcements = dropped(at(opening));

export const fillers: Rule[] = [
  amounts,
  softened(''),
  rule(at('(?:i (?:guess|think) )?the best thing to do is (?:to )?'), 'It is best to '),
  rule(/\bthe best thing to do is (?:to )?/g, 'it is best to '),
  rule(at('what (you|we|they) can do is (?:to )?'), (_, who) => `${matched('W', who!)} can `),
  words(
    pairs(`
    really; quite; basically; actually; literally; essentially; honestly; definitely; simply;
    totally; obviously; clearly
  `),
    {
      after:
        "not|n['’]t|don['’]t|isn['’]t|wasn['’]t|doesn['’]t|didn['’]t|aren['’]t|very|so|to|how|as|more|most|is|are|was|were|be|been|not",
      before: 'a|an|and|or|but|because|if|when',
    },
  ),
  words(
    pairs(`
    really; quite; actually; basically; literally; very; extremely; incredibly
  `),
    {
      after:
        "not|n['’]t|isn['’]t|wasn['’]t|aren['’]t|doesn['’]t|don['’]t|didn['’]t|how|so|the|this|that|as|can['’]t",
      before:
        'much|many|few|little|often|well|first|last|same|best|and|or|a|an|the|own|idea|thing|moment|end|beginning',
    },
  ),
  words(
    pairs(`
    just
  `),
    {
      after: "a|the|is|are|was|were|only|not|n['’]t|has|have|had|and",
      before:
        'as|in|because|like|now|about|then|before|after|cause|and|a|an|the|one|two|under|over',
    },
  ),
  dropped(
    at(
      '(?:well|anyway|anyhow|basically|actually|honestly|obviously|so basically|look|you know|i mean), ',
    ),
  ),
  rule(/, (?:you know|i mean|sort of|kind of|like|basically|as it were|so to speak),? /gi, ' '),
  rule(/, (?:of course|in fact|actually|basically|obviously),/gi, ''),
];
