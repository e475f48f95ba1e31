import { expect, it } from 'vitest';
import { call } from './call.ts';

/** Milliseconds for one answer: enough on a slow machine, and far less than catastrophic backtracking takes. */
const answerTimeoutMs = 10_000;

// An end-to-end test, because a Worker that hangs cannot time itself.
it('detects the type of any text without hanging', async () => {
  const units = [
    ' ',
    '\n',
    'a ',
    '[',
    '[[',
    '(',
    '{',
    '{a:b',
    '{;',
    '<',
    '<!--',
    '/*',
    '#',
    '# a\n\n',
    'a: ',
    '- ',
    'a=',
    '\t',
    'SELECT ',
    'fn a(',
    'struct a {\n',
    'def a\n',
    '|',
    '"',
    '::',
    'public ',
    'a.b.',
    '{% if ',
    '{{#if ',
    '--- a\n',
  ];
  for (const unit of units) {
    const content = Buffer.from(unit.repeat(Math.ceil(400_000 / unit.length))).toString('base64');
    const late = new Promise<never>((_, reject) => {
      setTimeout(
        () => reject(new Error(`no answer to ${JSON.stringify(unit)}`)),
        answerTimeoutMs,
      ).unref();
    });
    const answer = await Promise.race([call('detect-file', { content }), late]);
    expect(answer).toMatchObject({ is_text: true, encoding: 'utf-8' });
  }
});
