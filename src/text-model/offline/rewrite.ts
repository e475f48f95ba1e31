import type { Target } from '../engine.ts';
import { keeping } from './keep.ts';
import { rulesFor } from './registers.ts';
import { start } from './rule.ts';

/** English in another register, by rules; undefined for a target that rules cannot serve. */
export function rewritten(text: string, target: Target): string | undefined {
  const rules = rulesFor[target];
  if (!rules) return undefined;
  return keeping(text, (rest) =>
    tidy(
      rules.reduce((result, rule) => rule(result), rest),
      rest,
    ),
  );
}

const sentenceStart = new RegExp(String.raw`${start}\p{Ll}(?=\p{Ll}|[ ,'’])`, 'gmu');

/** Mends what words that went away leave behind. */
function tidy(text: string, before: string): string {
  const spaced = text
    .replace(/(?<=\S)[ \t]{2,}(?=\S)/g, ' ')
    .replace(/[ \t]+(?=[.,;:!?](?:\s|$))/gm, '')
    .replace(/,\s*,/g, ',')
    .replace(/(?<=[.!?]) ?[,;]+(?=\s)/g, '')
    .replace(/(?<!\.)\.\.(?!\.)/g, '.')
    .replace(/[ \t]+$/gm, '');
  // Who writes without capitals is left to; a sentence that lost its first word is not.
  if (!/\p{Lu}/u.test(before)) return spaced;
  return spaced.replace(sentenceStart, (letter) => letter.toUpperCase());
}
