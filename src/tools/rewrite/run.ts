import type { Context } from '../../context.ts';
import type { Input } from './index.ts';
import { toneOf } from './tone.ts';

export async function run({ text, target }: Input, context: Pick<Context, 'textEngine'>) {
  const textEngine = await context.textEngine;
  return {
    rewritten: await textEngine.rewrite({ text, target }),
    target_applied: target,
    original_tone: toneOf(text),
    engine: textEngine.name,
  };
}
