import { amounts } from './amounts.ts';
import { at, dropped, pairs, rule, verbs, words, type Rule } from '../rule.ts';

export const technicalWords: Rule[] = [
  verbs(
    pairs(`
    find out > determine; figure out > determine; look into > investigate; get rid of > remove;
    make sure > ensure; turn on > enable; turn off > disable; speed up > accelerate;
    go up > increase; go down > decrease; throw away > discard; get in touch with > contact;
    talk about > discuss; deal with > handle; utilise > use; utilize > use
  `),
    pairs(`
    fix > resolve
  `),
  ),
  amounts,
  dropped(at(String.raw`(?:hi|hey|hello|hiya)(?: \p{L}+)?, `)),
  rule(/\babout (?=\d)/g, 'approximately '),
  words(
    pairs(`
    bug > defect; bugs > defects; super > very; check out > review; right away > immediately;
    bigger > larger; biggest > largest; huge > large; at the moment > currently;
    right now > currently; way too > excessively; a bit > slightly
  `),
  ),
];
