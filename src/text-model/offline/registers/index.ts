import type { Target } from '../../engine.ts';
import { contract, expand } from '../contractions.ts';
import type { Rule } from '../rule.ts';
import { casualWords } from './casual.ts';
import { announcements, fillers, shares, wordy } from './concise.ts';
import { formalWords, joined } from './formal.ts';
import { duties, everyday, plainVerbs, plainWords, shortSentences } from './plain.ts';
import { chatter, spoken } from './sober.ts';
import { technicalWords } from './technical.ts';

/**
 * The ordered rules of each target. Targets without rules need a text model.
 *
 * A pair of words is listed only if one can replace the other in every context. The plain words are from
 * plainlanguage.gov.
 */
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
