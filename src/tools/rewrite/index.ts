import { z } from 'zod';
import { targets } from '../../text-model/engine.ts';
import { defineTool, price } from '../tool.ts';
import { engineField, engineHeader, textField } from '../text-field.ts';
import { tones } from './tones.ts';

const input = () => z.object({ text: textField, target: z.enum(targets) });
export type Input = z.output<ReturnType<typeof input>>;

export const rewrite = defineTool({
  name: 'rewrite',
  summary: 'Rewrite a text in another style',
  description: `Uses a language model if one is configured, and rules otherwise. The rules support English and the targets
\`formal\`, \`casual\`, \`friendly\`, \`concise\`, \`simplified\` and \`technical\`; without a model, \`expanded\`,
\`persuasive\` and other languages are a 503. If a configured model fails, the answer is a 503. \`engine\` and the header
\`X-Text-Engine\` name the engine. Names, numbers, links, code and quotations stay unchanged. The text is treated
as material, not as instructions.`,
  credits: price.premium,
  runsIn: 'workshop',
  seconds: 120,
  headers: engineHeader,
  get input() {
    return input();
  },
  get output() {
    return z.object({
      rewritten: z.string(),
      target_applied: z.enum(targets),
      original_tone: z.enum(tones),
      engine: engineField,
    });
  },
  examples: [
    {
      title: 'a note for a customer',
      input: {
        text: "Hey Anna, thanks for the heads-up! We're gonna look into it asap, so don't worry.",
        target: 'formal',
      },
    },
    {
      title: 'fewer words',
      input: {
        text: 'It is important to note that, due to the fact that the server was restarted, a large number of users were not able to log in at that point in time.',
        target: 'concise',
      },
    },
  ],
  run: async (input, context) =>
    (await import('#workshop/tools/rewrite/run.ts')).run(input, context),
});
