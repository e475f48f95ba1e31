import type { Target } from '../engine.ts';
import { contract, expand } from './contractions.ts';
import { dropped, matched, pairs, rule, start, verbs, words, type Rule } from './rule.ts';

/**
 * Word lists between registers. The plain words follow those of plainlanguage.gov; a pair is here only
 * if the one can stand wherever the other stands.
 */

const at = (pattern: string) => new RegExp(start + pattern, 'gimu');
/** The same for a pattern in which a capital means a name. */
const atCased = (pattern: string) => new RegExp(start + pattern, 'gmu');

/** Says the same in fewer words. */
const wordy = words(
  pairs(`
    in order to > to; so as to > to; due to the fact that > because; owing to the fact that > because;
    because of the fact that > because; in light of the fact that > because;
    for the reason that > because; in spite of the fact that > although;
    despite the fact that > although; regardless of the fact that > although; in the event that > if;
    in the event of > if there is; on the condition that > if; at this point in time > now;
    at the present time > now; at this moment in time > now; at that point in time > then;
    in the near future > soon; at some point in the future > later; until such time as > until;
    during the course of > during; in the course of > during; for the duration of > during;
    for the purpose of > for; for the purposes of > for; with the exception of > except;
    with regard to > about; with regards to > about; in regard to > about; with respect to > about;
    with reference to > about; in relation to > about; on the subject of > about;
    in connection with > about; in the absence of > without; in close proximity to > near;
    in the vicinity of > near; in addition to > besides; as a result of > because of;
    on account of > because of; by means of > by; by virtue of > by; in the amount of > for;
    in excess of > more than; on a daily basis > daily; on a weekly basis > weekly;
    on a monthly basis > monthly; on a regular basis > regularly; in a timely manner > on time;
    in an efficient manner > efficiently; a large number of > many; a significant number of > many;
    a great number of > many; a great deal of > much; a number of > several; a majority of > most;
    the majority of > most; the vast majority of > most; has the ability to > can;
    have the ability to > can; has the capacity to > can; have the capacity to > can; is able to > can;
    are able to > can; is not able to > cannot; are not able to > cannot; was not able to > could not;
    were not able to > could not; was able to > could; were able to > could; is in a position to > can;
    are in a position to > can; has the opportunity to > can; have the opportunity to > can;
    make a decision > decide; makes a decision > decides; made a decision > decided;
    came to a decision > decided; make an assumption > assume; make use of > use; makes use of > uses;
    made use of > used; making use of > using; give consideration to > consider;
    gave consideration to > considered; take into consideration > consider;
    took into consideration > considered; take into account > consider;
    conduct an investigation into > investigate; conducted an investigation into > investigated;
    perform an analysis of > analyse; performed an analysis of > analysed;
    come to the conclusion that > conclude that; came to the conclusion that > concluded that;
    is in agreement with > agrees with; are in agreement with > agree with;
    has a tendency to > tends to; have a tendency to > tend to; have an impact on > affect;
    has an impact on > affects; had an impact on > affected; whether or not > whether;
    the reason why is that > because; the question as to whether > whether; as to whether > whether;
    each and every > every; first and foremost > first; any and all > all; end result > result;
    final outcome > outcome; past history > history; past experience > experience;
    advance planning > planning; advance warning > warning; future plans > plans; free gift > gift;
    added bonus > bonus; basic fundamentals > fundamentals; general consensus > consensus;
    unexpected surprise > surprise; close proximity > proximity; completely eliminate > eliminate;
    completely finished > finished; absolutely essential > essential; absolutely necessary > necessary;
    very unique > unique; revert back > revert; refer back > refer; return back > return;
    repeat again > repeat; combine together > combine; collaborate together > collaborate;
    join together > join; plan ahead > plan; period of time > period; point in time > time;
    subject matter > subject; the fact that there is > that there is
  `),
);

const opening = String.raw`(?:it (?:is|should be|must be) (?:important|worth|interesting|necessary|essential) (?:to note|noting|mentioning|to mention|to remember|to point out|to understand) that,?|it (?:should|must|may) be noted that|it goes without saying that|needless to say,|please (?:note|be advised|be aware) that|there is no doubt that|the fact of the matter is that|as a matter of fact,|for all intents and purposes,|at the end of the day,|when all is said and done,|in my (?:humble |personal )?opinion,|as you (?:may|might|probably|already) know,|to be honest,|to tell you the truth,|i just wanted to (?:say|let you know) that|i am writing to inform you that)\s+`;

/** Before a determiner, `of` has to stay: `most of the users`. */
const shares: Rule[] = [
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

/** Introductions that say nothing; the sentence begins after them. */
const announcements = dropped(at(opening));

const fillers: Rule[] = [
  words(
    pairs(`
    really; quite; basically; actually; literally; essentially; honestly; definitely; simply; totally;
    obviously; clearly
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
  words(pairs(`just`), {
    after: "a|the|is|are|was|were|only|not|n['’]t|has|have|had|and",
    before: 'as|in|because|like|now|about|then|before|after|cause|and|a|an|the|one|two|under|over',
  }),
  dropped(
    at(
      '(?:well|anyway|anyhow|basically|actually|honestly|obviously|so basically|look|you know|i mean), ',
    ),
  ),
  rule(/, (?:you know|i mean|sort of|kind of|like|basically|as it were|so to speak),? /gi, ' '),
  rule(/, (?:of course|in fact|actually|basically|obviously),/gi, ''),
];

const emoji = String.raw`(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)(?:\u200D\p{Extended_Pictographic}\uFE0F?|\p{EMod})*`;
const smiley = String.raw`(?<![\p{L}\p{N}:])(?:[:;]-?[)(DPp]|<3|\^\^)(?![\p{L}\p{N}])`;
const laughter = String.raw`(?<![\p{L}\p{N}])(?:lol|lmao|rofl|haha(?:ha){0,9}|hehe)(?![\p{L}\p{N}])[.!]*`;
const merriment = String.raw`[ \t,]{0,3}(?:${emoji}|${smiley}|${laughter})`;

/** What has no place in a sober text. */
const chatter: Rule[] = [
  // Where it was all that ended a sentence, a full stop does.
  rule(new RegExp(String.raw`(?<=[\p{L}\p{N}])${merriment}(?=[ \t]{0,3}$)`, 'gimu'), '.'),
  rule(new RegExp(merriment, 'gimu'), ''),
  rule(/(\p{L})\1{2,}(?=[\p{L}\s.!?,]|$)/gu, '$1'),
  rule(/\?!+|!+\?/g, '?'),
  rule(/!+/g, '.'),
  rule(/(?<![.\p{L}\p{N}])i(?=['’ ](?:['’]?(?:m|ll|ve|d)\b|\p{Ll}))/gu, 'I'),
];

const spoken: Rule[] = [
  words(
    pairs(`
    gonna > going to; wanna > want to; gotta > have to; gimme > give me; lemme > let me;
    dunno > do not know; kinda > somewhat; sorta > somewhat; cuz > because; coz > because;
    'cause > because; y'all > you all; pls > please; plz > please; thx > thank you; u > you; ur > your;
    yeah > yes; yep > yes; yup > yes; nope > no; till > until; asap > as soon as possible;
    fyi > for your information; btw > incidentally; imo > in my opinion; tbh > to be honest;
    tmrw > tomorrow; info > information; kids > children; you guys > you;     folks > people; stuff > material; maybe > perhaps
  `),
  ),
  words(pairs('guys > everyone'), {
    after: 'the|these|those|two|some|our|my|your|of|you|bad|good',
  }),
  rule(/\bASAP\b/g, 'as soon as possible'),
  rule(/\bFYI\b/g, 'For your information'),
  rule(/\bBTW\b/g, 'Incidentally'),
];

const plural = /^(?:\p{Ll}+ )?(?:\p{Ll}+[^su]s|people|children|men|women)\b/u;
const mass =
  /^(?:time|work|money|effort|information|help|traffic|attention|pressure|interest|experience|space|material|noise|trouble|progress)\b/;

/** `a lot of` is neither many nor much, so what it counts must be known. */
const amounts = rule(
  /\b([Aa]|[Ll])(?: lot|ots| bunch| ton| couple) of (?=(\p{Ll}+ ?\p{Ll}*))/gu,
  (whole, first, noun) => {
    const word = plural.test(noun!) ? 'many ' : mass.test(noun!) ? 'considerable ' : undefined;
    return word ? matched(first!, word) : whole!;
  },
);

const formalWords: Rule[] = [
  amounts,
  rule(
    /(?<=\b(?:is|are|was|were|be|been|looks?|seems?|feels?|sounds?)\s)(?:pretty|really|super|so|totally) (?=(?:good|bad|nice|hard|easy|big|small|fast|slow|late|early|tired|happy|busy|important|useful|simple|close|clear|sure|new|old|long|short|high|low|great|strong|weak|cheap|expensive|helpful|difficult|quick|interesting)\b)/gi,
    'very ',
  ),
  rule(/\bpretty much\b/gi, 'largely'),
  words(pairs(`really; totally; basically; literally; super > very`), {
    after:
      "not|n['’]t|isn['’]t|wasn['’]t|doesn['’]t|don['’]t|didn['’]t|aren['’]t|how|is|are|was|were|be",
    before: 'and|or|a|an',
  }),
  words(pairs(`just`), {
    after: "a|the|is|are|was|were|only|not|n['’]t|has|have|had",
    before: 'as|in|because|like|now|about|then|before|after|cause|and|a|an|the|one|two|under|over',
  }),
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
    go over > review; make sure > ensure; think about > consider; get in touch with > contact;
    get rid of > remove; come up with > devise; put up with > tolerate; check out > review;
    buy > purchase
  `),
    pairs(`fix > resolve`),
  ),
  rule(/\b(w)ant(s|ed)? to\b/g, (_, w, s) => `${w}ish${s === 's' ? 'es' : (s ?? '')} to`),
  words(
    pairs(`
    awesome > excellent; amazing > excellent; huge > substantial; a big > a large;
    big deal > important matter; bigger > larger; biggest > largest; right away > immediately;
    right now > currently; at the moment > currently; anyways > in any case;     so far > to date; mad at > angry with
  `),
  ),
  rule(
    atCased(String.raw`(?:[Hh]i|[Hh]ey|[Hh]ello|[Hh]iya)(?: there)?,? (?=\p{Lu}\p{L}+,)`),
    'Dear ',
  ),
  rule(at('sorry for '), 'I apologize for '),
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
  rule(at(String.raw`cheers,?(?=\s*\n|\s*$)`), 'Kind regards,'),
];

/** Dissolves a fragment: `I left. Because I was tired.` */
const joined = rule(
  /(?<=\p{L}{2})\. (Because|Since) (?=[^,.!?\n]{1,80}[.!?])/gu,
  (_, word) => ` ${word!.toLowerCase()} `,
);

const everyday: Rule[] = [
  words(
    pairs(`
        subsequently > later;
    prior to > before; subsequent to > after; approximately > about;     numerous > many; individuals > people; frequently > often; in accordance with > in line with;
    in lieu of > instead of; per annum > a year; in order to > to; e.g. > for example; i.e. > that is;
    assistance > help; additional > extra; at your earliest convenience > when you can;
    as soon as practicable > as soon as you can; perhaps > maybe
  `),
  ),
  words(pairs('due to > because of; concerning > about; regarding > about'), {
    after: 'is|are|was|were|be|been|very|so|more|deeply|payment|amount|balance',
  }),
  rule(at('however, '), 'But '),
  rule(at('(?:therefore|consequently|thus|hence|accordingly),? '), 'So '),
  rule(at('(?:furthermore|moreover|additionally|in addition), '), 'Also, '),
  rule(at('(?:nevertheless|nonetheless), '), 'Still, '),
  rule(/; however, /g, ', but '),
  rule(/; (?:therefore|consequently|thus|hence), /g, ', so '),
];

const plainVerbs = verbs(
  pairs(`
    utilize > use; utilise > use; commence > start; terminate > end; endeavor > try; endeavour > try;
    obtain > get; acquire > get; require > need; assist > help; ascertain > find out; modify > change;
    rectify > fix; relocate > move; reside > live; retain > keep; notify > tell; inform > tell;
    initiate > start; finalize > finish; finalise > finish; possess > have; construct > build;
    eliminate > remove; discontinue > stop; necessitate > need; prohibit > ban; anticipate > expect;
    expedite > speed up; elucidate > explain; enumerate > list; transmit > send; verify > check;
    participate in > join in; comply with > follow; solicit > ask for; inquire > ask; enquire > ask; facilitate > support
  `),
  pairs(`purchase > buy; attempt > try; request > ask for`),
);

/** Who is required to, must. */
const duties: Rule[] = [
  rule(/\b(?:am|is|are) required to\b/g, 'must'),
  rule(/\b(?:was|were) required to\b/g, 'had to'),
  rule(/\bwill be required to\b/g, 'will have to'),
  rule(/\b([Aa])n optimal\b/g, (_, a) => `${a === 'A' ? 'The' : 'the'} best`),
];

const plainWords = words(
  pairs(`
    modification > change; modifications > changes; remainder > rest;
    erroneous > wrong; evident > clear; primary > main; initial > first;
    subsequent > later; methodology > method; methodologies > methods; expenditure > spending;
    beneficial > helpful; residence > home; magnitude > size; inception > start; commencement > start;
    pursuant to > under; the aforementioned > the; upon completion > at the end; optimal > best; with the aid of > with;     proficiency > skill; adjacent to > next to;
    inadvertently > by mistake; a multitude of > many; a plethora of > many
  `),
);

const subject = '(?:I|we|you|he|she|it|they|this|these|there)';

/** Sentences of more than 20 words fall into two at a semicolon, or where a clause with its own subject begins. */
const shortSentences: Rule = (text) =>
  text.replace(/[^.!?\n]+[.!?]?/g, (sentence) => {
    if (sentence.trim().split(/\s+/).length <= 20) return sentence;
    return sentence
      .replace(
        /(?<=\w{2}); (?:and |but )?(\p{L})/gu,
        (_, letter: string) => `. ${letter.toUpperCase()}`,
      )
      .replace(
        new RegExp(String.raw`(?<=\w{2}), and (?=${subject}\b)(\p{L})`, 'u'),
        (_, letter: string) => `. ${letter.toUpperCase()}`,
      )
      .replace(
        new RegExp(String.raw`(?<=\w{2}), (but|so) (?=${subject}\b)`, 'u'),
        (_, word: string) => `. ${word.charAt(0).toUpperCase()}${word.slice(1)} `,
      );
  });

const casualWords: Rule[] = [
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

const technicalWords: Rule[] = [
  verbs(
    pairs(`
    find out > determine; figure out > determine; look into > investigate; get rid of > remove;
    make sure > ensure; turn on > enable; turn off > disable; speed up > accelerate; go up > increase;
    go down > decrease; throw away > discard; get in touch with > contact;
    talk about > discuss; deal with > handle; utilise > use; utilize > use
  `),
    pairs(`fix > resolve`),
  ),
  amounts,
  dropped(at(String.raw`(?:hi|hey|hello|hiya)(?: \p{L}+)?, `)),
  rule(/\babout (?=\d)/g, 'approximately '),
  words(
    pairs(`
    bug > defect; bugs > defects; super > very; check out > review; right away > immediately; a big > a large; bigger > larger;
    biggest > largest; huge > large; at the moment > currently;
    right now > currently; way too > excessively; a bit > slightly
  `),
  ),
];

/** The rules for each target that rules can serve, in their order; for the others one needs a model. */
export const rulesFor: Partial<Record<Target, Rule[]>> = {
  formal: [...chatter, ...expand, ...spoken, ...formalWords, joined],
  casual: [...everyday, plainVerbs, ...casualWords, ...contract],
  friendly: [...everyday, ...casualWords, ...contract],
  concise: [announcements, ...shares, wordy, ...fillers],
  simplified: [
    announcements,
    ...shares,
    ...duties,
    wordy,
    ...everyday,
    plainVerbs,
    plainWords,
    shortSentences,
  ],
  technical: [...chatter, ...expand, ...spoken, announcements, ...fillers, ...technicalWords],
};
