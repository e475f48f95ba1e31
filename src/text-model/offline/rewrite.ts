import type { Target } from '../engine.ts';
import { keeping } from './keep.ts';
import { rulesFor } from './registers/index.ts';
import { capital } from './rule.ts';

/** English in another register, by rules; undefined for a target that rules cannot serve. */
export function rewritten(text: string, target: Target): string | undefined {
  const rules = rulesFor[target];
  if (!rules) return undefined;
  return keeping(text, (rest) => tidy(rules.reduce((result, rule) => rule(result), rest)));
}

const raised = new RegExp(`${capital}[ \t,;]*(\\p{L}?)`, 'gu');

/** Mends what words that went away leave behind. */
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
