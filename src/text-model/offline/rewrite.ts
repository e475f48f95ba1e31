import type { Target } from '../engine.ts';
import { keeping } from './keep.ts';
import { rulesFor } from './registers/index.ts';
import { capital } from './rule.ts';

/** Rewrites English text by rules. Returns undefined for a target without rules. */
export function rewritten(text: string, target: Target): string | undefined {
  const rules = rulesFor[target];
  if (!rules) return undefined;
  return keeping(text, (rest) => tidy(rules.reduce((result, rule) => rule(result), rest)));
}

const raised = new RegExp(`${capital}[ \t,;]*(\\p{L}?)`, 'gu');

/** Cleans up punctuation and spaces around removed words. */
function tidy(text: string): string {
  return text
    .replace(/(?<=\S)[ \t]{2,}(?=\S)/g, ' ')
    .replace(/(?<![ \t])[ \t]+(?=[.,;:!?](?:\s|$))/gm, '')
    .replace(/,(?: ?,)+/g, ',')
    .replace(/,(?=[.!?](?:\s|$))/gm, '')
    .replace(/(?<!\.)\.\.(?!\.)/g, '.')
    .replace(/(?<=\S)[ \t]+$/gm, '')
    .replace(raised, (_, letter: string) => letter.toUpperCase());
}
