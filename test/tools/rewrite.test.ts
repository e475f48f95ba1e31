import { describe, expect, it } from 'vitest';
import type { Target } from '../../src/text-model/engine.ts';
import { rewrite } from '../../src/tools/rewrite/index.ts';
import { toneOf } from '../../src/tools/rewrite/tone.ts';
import { languages } from './languages.ts';
import { refusal, run } from './run.ts';
import { tonesOf } from './tones.ts';

const rewritten = async (text: string, target: Target) =>
  (await run(rewrite, { text, target })).rewritten;

const byRule = ['formal', 'casual', 'concise', 'simplified', 'technical', 'friendly'] as const;

describe.each<[Target, [string, string][]]>([
  [
    'formal',
    [
      ["Don't you think we're late?", 'Do you not think we are late?'],
      ["It's been fun, but it's over.", 'It has been fun, but it is over.'],
      [
        "I'd been there, and I'd go again. They'd better hurry.",
        'I had been there, and I would go again. They had better hurry.',
      ],
      [
        "She can't come, and he won't. I ain't going.",
        'She cannot come, and he will not. I am not going.',
      ],
      [
        "Anna's car isn't here. Let's ask Will's brother.",
        "Anna's car is not here. Let us ask Will's brother.",
      ],
      [
        'Hey Tom, thanks for the file!!! We gotta fix it asap :)',
        'Dear Tom, thank you for the file. We have to resolve it as soon as possible.',
      ],
      ['Thanks to her, we won.', 'Thanks to her, we won.'],
      [
        'A lot of users left. We have a lot of work.',
        'Many users left. We have considerable work.',
      ],
      [
        'But we need to find out why. So we looked into it.',
        'However, we need to determine why. Therefore, we investigated it.',
      ],
      ['I left early. Because I was tired.', 'I left early because I was tired.'],
      [
        "Also, don't forget the docs. It's pretty hard to read.",
        'In addition, do not forget the documentation. It is very difficult to read.',
      ],
      [
        'I guess the best thing to do is wait. We ran into a bug.',
        'I believe the best course of action is to wait. We encountered a bug.',
      ],
      ['We found out that they wanna buy it.', 'We determined that they wish to purchase it.'],
    ],
  ],
  [
    'casual',
    [
      [
        'We are unable to attend. However, we will send a colleague.',
        "We're unable to attend. But we'll send a colleague.",
      ],
      ['I do not know what it is.', "I don't know what it is."],
      ['Dear Ms. Lee, we have received your letter.', "Hi Ms. Lee, we've received your letter."],
      [
        'They obtained a permit prior to commencing the work.',
        'They got a permit before starting the work.',
      ],
      ['A permit was obtained.', 'A permit was obtained.'],
      ['Please do not hesitate to call.', 'Feel free to call.'],
      ['We are therefore closing.', "We're therefore closing."],
    ],
  ],
  [
    'concise',
    [
      ['In order to win, we have to make a decision.', 'To win, we have to decide.'],
      [
        'The majority of the users agree. The majority of users agree.',
        'Most of the users agree. Most users agree.',
      ],
      ['It is important to note that the door is closed.', 'The door is closed.'],
      ['It was a really old house.', 'It was an old house.'],
      ["It's important to note that it's pretty hard.", "It's hard."],
      [
        'What you can do is rotate the key. I guess the best thing to do is wait.',
        'You can rotate the key. It is best to wait.',
      ],
      [
        'That is not really true. The very first page.',
        'That is not really true. The very first page.',
      ],
      [
        'He was able to swim due to the fact that he had a boat.',
        'He could swim because he had a boat.',
      ],
    ],
  ],
  [
    'simplified',
    [
      ['You are required to notify us prior to departure.', 'You must tell us before departure.'],
      [
        'The purchase was approved; we attempted to purchase it.',
        'The purchase was approved; we tried to buy it.',
      ],
      ['An additional form will be transmitted.', 'An extra form will be sent.'],
      [
        'He shall refrain from strenuous work. It was administered prior to surgery.',
        'He will avoid hard work. It was given before surgery.',
      ],
      [
        'The council has decided to close the old bridge at the harbour for two years, and it will inform all residents by letter.',
        'The council has decided to close the old bridge at the harbour for two years. It will tell all residents by letter.',
      ],
    ],
  ],
  [
    'friendly',
    [
      ['We regret to inform you that it is late.', "We're sorry, but it's late."],
      ['Thank you for waiting. We will call you.', "Thanks for waiting. We'll call you."],
    ],
  ],
  [
    'technical',
    [
      [
        "Hey, the app's super slow! We've gotta get rid of the bug.",
        'The app is slow. We have to remove the defect.',
      ],
      [
        'Make sure you turn on logging. It takes about 5 seconds.',
        'Ensure you enable logging. It takes approximately 5 seconds.',
      ],
    ],
  ],
])('%s', (target, cases) => {
  it.each(cases)('%s', async (text, expected) => {
    expect(await rewritten(text, target)).toBe(expected);
  });
});

describe('what stays as it is', () => {
  const kept = [
    'https://example.com/a_b/really?gonna=1&x=don%27t',
    'anna.really@example.com',
    '`we_dont(just)`',
    '"I don\'t really know, just utilize it!"',
    '“We’re gonna purchase a lot of stuff”',
    '1,234.50',
    '2026-11-21',
    '+43 1 234567',
    'Mr. Just Really',
    'Purchase Utilities Ltd.',
    '#gonna',
    '@justreally',
    'maxRetries',
    'src/really/just.ts',
    '<b class="really">',
    '```js\nconst really = "don\'t";\n```',
  ];
  it.each(byRule)('for %s', async (target) => {
    const text = kept
      .map((each, index) => `On day ${index + 1} we saw ${each} there.`)
      .join('\n\n');
    const result = await rewritten(text, target);
    for (const [index, each] of kept.entries()) {
      expect(result).toContain(each);
      expect(result).toContain(`${index + 1}`);
    }
  });

  it.each(byRule)('is everything in what has nothing to change, for %s', async (target) => {
    const text = 'The river flows north.\n\n- one\n- two\n\n\tcode  here\n';
    expect(await rewritten(text, target)).toBe(text);
  });

  it('is the order and number of lines', async () => {
    const text = 'Hi,\n\nthanks a lot.\n  * gonna go\n\nCheers\n';
    expect((await rewritten(text, 'formal')).split('\n')).toHaveLength(text.split('\n').length);
  });
});

describe('without a model', () => {
  it.each(['expanded', 'persuasive'] as const)(
    '%s is a 503 that says what to set',
    async (target) => {
      const { status, message } = await refusal(rewrite, { text: 'The plan is good.', target });
      expect({ status, message }).toMatchObject({ status: 503 });
      expect(message).toContain('TEXT_MODEL_NAME');
    },
  );

  it.each(Object.keys(languages).filter((name) => name !== 'english'))('so is %s', async (name) => {
    const text = languages[name]!.join(' ');
    const { status, message } = await refusal(rewrite, { text, target: 'formal' });
    expect({ status, message }).toMatchObject({ status: 503 });
    expect(message).toMatch(/language.*TEXT_MODEL_NAME/);
  });

  it('answers hostile texts soon', async () => {
    const hostile = [
      'a'.repeat(200_000),
      'really '.repeat(30_000),
      "don't ".repeat(30_000),
      '"'.repeat(100_000),
      '`('.repeat(50_000),
      '](<'.repeat(50_000),
      'a/'.repeat(50_000),
      'a.'.repeat(50_000),
      'a_'.repeat(50_000),
      ' '.repeat(100_000) + 'x',
      `x${', '.repeat(50_000)}`,
      '\u{F0000}\u{F0001}'.repeat(10_000),
      'in order '.repeat(30_000),
      '- '.repeat(50_000),
    ];
    for (const target of byRule) {
      for (const text of hostile) {
        const start = Date.now();
        await run(rewrite, { text, target });
        expect(Date.now() - start, `${target} ${text.slice(0, 20)}`).toBeLessThan(5000);
      }
    }
  }, 120_000);
});

describe('original_tone', () => {
  it('is what a reader hears, nine times of ten', () => {
    const wrong = tonesOf.filter(([tone, text]) => toneOf(text) !== tone);
    const said = wrong.map(([tone, text]) => `${tone}, not ${toneOf(text)}: ${text}`).join('\n');
    expect(wrong.length, said).toBeLessThanOrEqual(tonesOf.length / 10);
  });

  it('comes with every rewriting', async () => {
    const answer = await run(rewrite, { text: "hey, what's up, gonna join?", target: 'formal' });
    expect(answer).toMatchObject({
      original_tone: 'casual',
      target_applied: 'formal',
      engine: 'offline',
    });
  });
});

describe('refusals', () => {
  it.each([
    [{ text: ' ', target: 'formal' }, 'text'],
    [{ text: 'a' }, 'target'],
    [{ text: 'a', target: 'loud' }, 'target'],
    [{ target: 'formal' }, 'text'],
  ])('name the field: %#', async (input, path) => {
    expect(await refusal(rewrite, input)).toMatchObject({ status: 422, path });
  });
});
