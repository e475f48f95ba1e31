import { pairs, rule, words, type Rule } from '../rule.ts';

const emoji = String.raw`(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)(?:\u200D\p{Extended_Pictographic}\uFE0F?|\p{EMod})*`;
const smiley = String.raw`(?<![\p{L}\p{N}:])(?:[:;]-?[)(DPp]|<3|\^\^)(?![\p{L}\p{N}])`;
const laughter = String.raw`(?<![\p{L}\p{N}])(?:lol|lmao|rofl|haha(?:ha){0,9}|hehe)(?![\p{L}\p{N}])[.!]*`;
const merriment = String.raw`[ \t,]{0,3}(?:${emoji}|${smiley}|${laughter})`;

/** Removes emoji, smileys, laughter, stretched letters and exclamation marks. */
export const chatter: Rule[] = [
  // At the end of a line they are replaced by a full stop.
  rule(new RegExp(String.raw`(?<=[\p{L}\p{N}])${merriment}(?=[ \t]{0,3}$)`, 'gimu'), '.'),
  rule(new RegExp(merriment, 'gimu'), ''),
  rule(/(?<=\p{L})([aeosyhmn])\1{2,}/gu, '$1'),
  rule(/\?!+|(?<!!)!+\?/g, '?'),
  rule(/!+/g, '.'),
  rule(/(?<![.\p{L}\p{N}])i(?=['’ ](?:['’]?(?:m|ll|ve|d)\b|\p{Ll}))/gu, 'I'),
];

export const spoken: Rule[] = [
  words(
    pairs(`
    gonna > going to; wanna > want to; gotta > have to; gimme > give me; lemme > let me;
    dunno > do not know; kinda > somewhat; sorta > somewhat; cuz > because; coz > because;
    'cause > because; y'all > you all; pls > please; plz > please; thx > thank you; u > you;
    ur > your; yeah > yes; yep > yes; yup > yes; nope > no; till > until;
    asap > as soon as possible; fyi > for your information; btw > incidentally;
    imo > in my opinion; tbh > to be honest; tmrw > tomorrow; info > information; kids > children;
    you guys > you; folks > people; stuff > material; maybe > perhaps
  `),
  ),
  words(pairs('guys > everyone'), {
    after: 'the|these|those|two|some|our|my|your|of|you|bad|good',
  }),
  rule(/\bASAP\b/g, 'as soon as possible'),
  rule(/\bFYI\b/g, 'For your information'),
  rule(/\bBTW\b/g, 'Incidentally'),
];
