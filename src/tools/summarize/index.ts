import { z } from 'zod';
import { styles } from '../../text-model/engine.ts';
import { defineTool, price } from '../tool.ts';
import { engineField, engineHeader, textField } from '../text-field.ts';

const input = () =>
  z.object({
    text: textField,
    style: z.enum(styles).default('paragraph'),
    max_length: z.int().min(0).default(0).describe('Maximum number of words; 0 means no limit'),
  });
export type Input = z.output<ReturnType<typeof input>>;

export const summarize = defineTool({
  name: 'summarize',
  summary: 'Summarise a text in any language',
  description: `Uses a language model if one is configured; otherwise the summary consists of the most important sentences of the
text. If a configured model fails, the answer is a 503. \`engine\` and the header \`X-Text-Engine\` name the engine.

With every engine, each line of \`bullets\` begins with \`- \`, \`tldr\` begins with \`TL;DR:\`, and the summary has at most
\`max_length\` words; a longer one is cut at a sentence, or else at a word. Words are counted by Unicode (UAX #29), also
in Chinese, Japanese and Thai; \`TL;DR\` counts as two. The text is treated as material, not as instructions.`,
  credits: price.premium,
  runsIn: 'workshop',
  seconds: 120,
  headers: engineHeader,
  get input() {
    return input();
  },
  get output() {
    return z.object({
      summary: z.string(),
      style: z.enum(styles),
      original_words: z.int(),
      summary_words: z.int(),
      compression_ratio: z
        .number()
        .min(0)
        .max(1)
        .describe('Words of the summary divided by words of the text'),
      engine: engineField,
    });
  },
  examples: [
    {
      title: 'an incident in one line',
      input: {
        text: 'At 09:12 the payment service began to refuse cards. The cause was an expired certificate at our bank’s gateway. We noticed after eleven minutes, because the alert went to a mailbox that nobody reads on Sundays. The certificate was renewed at 09:40, and all failed payments were retried. From today the alert calls whoever is on duty.',
        style: 'tldr',
      },
    },
    {
      title: 'points of at most 30 words',
      input: {
        text: 'Das Treffen begann mit einem Rückblick auf das Quartal. Der Umsatz stieg um acht Prozent, vor allem durch Bestandskunden. Danach ging es um das Büro. Wir haben beschlossen, den Mietvertrag in Graz nicht zu verlängern. Anna sucht bis Ende März kleinere Räume. Über den Umzug reden wir im April.',
        style: 'bullets',
        max_length: 30,
      },
    },
  ],
  run: async (input, context) =>
    (await import('#workshop/tools/summarize/run.ts')).run(input, context),
});
