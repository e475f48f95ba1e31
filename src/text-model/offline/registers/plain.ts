import { at, pairs, rule, verbs, words, type Rule } from '../rule.ts';

export const everyday: Rule[] = [
  words(
    pairs(`
    subsequently > later; prior to > before; subsequent to > after; approximately > about;
    numerous > many; primarily > mainly; shall > will; individuals > people; frequently > often; in accordance with > in line with;
    in lieu of > instead of; per annum > a year; in order to > to; assistance > help;
    additional > extra; at your earliest convenience > when you can;
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

export const plainVerbs = verbs(
  pairs(`
    utilize > use; utilise > use; commence > start; terminate > end; endeavor > try;
    endeavour > try; obtain > get; acquire > get; require > need; assist > help;
    ascertain > find out; modify > change; rectify > fix; relocate > move; reside > live;
    retain > keep; notify > tell; inform > tell; initiate > start; finalize > finish;
    finalise > finish; possess > have; construct > build; eliminate > remove; discontinue > stop;
    necessitate > need; prohibit > ban; anticipate > expect; expedite > speed up;
    elucidate > explain; enumerate > list; transmit > send; verify > check;
    participate in > join in; comply with > follow; solicit > ask for; inquire > ask;
    enquire > ask; facilitate > support; refrain from > avoid
  `),
  pairs(`
    purchase > buy; attempt > try; request > ask for
  `),
);

/** Replaces `is required to` by `must`, and similar phrases. */
export const duties: Rule[] = [
  rule(/\b(?:am|is|are) required to\b/g, 'must'),
  rule(/\b(?:was|were) required to\b/g, 'had to'),
  rule(/\bwill be required to\b/g, 'will have to'),
  rule(/\b(was|were|been|being) administered\b/g, '$1 given'),
  rule(/\b([Aa])n optimal\b/g, (_, a) => `${a === 'A' ? 'The' : 'the'} best`),
];

export const plainWords = words(
  pairs(`
    modification > change; modifications > changes; remainder > rest; erroneous > wrong;
    evident > clear; initial > first; subsequent > later; methodology > method;
    methodologies > methods; expenditure > spending; beneficial > helpful; medication > medicine; adverse effects > side effects; strenuous > hard; residence > home;
    magnitude > size; inception > start; commencement > start; pursuant to > under;
    the aforementioned > the; upon completion > at the end; optimal > best;
    with the aid of > with; proficiency > skill; adjacent to > next to;
    inadvertently > by mistake; a multitude of > many; a plethora of > many
  `),
);

const subject = '(?:I|we|you|he|she|it|they|this|these|there)';

/** Splits sentences of more than 20 words at a semicolon, or before a clause with its own subject. */
export const shortSentences: Rule = (text) =>
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
