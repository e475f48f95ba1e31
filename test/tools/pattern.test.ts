import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedPattern } from '../../src/tools/validate/pattern.ts';
import { validate } from '../../src/tools/validate/index.ts';
import { run } from './run.ts';

const bounded = (source: string) => boundedPattern(new RegExp(source, 'u'));

describe('a pattern that backtracks without end', () => {
  const long = 'a'.repeat(100_000);
  it.each([
    ['^(a+)+$', `${long}!`, false],
    ['^(a|a)*$', `${long}!`, false],
    ['^(a|aa)+$', long, true],
    ['(x+x+)+y', 'x'.repeat(100_000), false],
    ['^(?:a?){30}a{30}$', 'a'.repeat(29), false],
    ['a?'.repeat(30) + 'a'.repeat(30), 'a'.repeat(29), false],
    ['^(\\w+\\s?)*$', `${'word '.repeat(20_000)}!`, false],
    ['\\s+$', `${' '.repeat(100_000)}!`, false],
    ['.*.*.*=', long, false],
    ['^([^,]*,)*[^,]*$', long, true],
    ['^(?!.*--)(?=.{3,})[a-z0-9]+(?:-[a-z0-9]+)*$', long, true],
    ['^(?!.*--)(?=.{3,})[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-'.repeat(50_000), false],
    ['^(?=(a+)+$)b', `${long}!`, false],
    ['a{900}b', long, false],
    ['[ab]'.repeat(5000) + 'c', long, false],
  ])('%s is answered all the same', (source, text, expected) => {
    expect(bounded(source).test(text)).toBe(expected);
  });

  it.each(['a{20000}b', '(?=(a+)+$)b', 'x?(?=(a|a)+$)b', '^(a+)\\1*(?:a|a)*!$', '(?<!(?:a|a)*)!'])(
    '%s is refused for a text that would take forever, for RE2 has nothing like it',
    (source) => {
      expect(() => bounded(source).test(long)).toThrow('could take forever');
    },
  );

  it('is a 422 that names it, where it is refused', async () => {
    const schema = { pattern: '(?<=(a+)+)b' };
    const call = run(validate, {
      type: 'json_schema',
      input: JSON.stringify(`${long}!`),
      options: { schema },
    });
    await expect(call).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(/^options\.schema: cannot be used: the pattern \(\?<=/),
    });
  });

  it.each([
    { pattern: '^(a+)+$' },
    { patternProperties: { '^(a+)+$': false } },
    { patternProperties: { '^(a+)+$': true }, additionalProperties: false },
    { propertyNames: { pattern: '^(a+)+$' } },
  ])('hinders nobody in %j', async (schema) => {
    const name = `${long}!`;
    const input = JSON.stringify('pattern' in schema ? name : { [name]: 1 });
    const { valid } = await run(validate, { type: 'json_schema', input, options: { schema } });
    expect(valid).toBe('patternProperties' in schema && !('additionalProperties' in schema));
  });
});

it('is not hung by a format either', async () => {
  const schema = { format: 'idn-email' };
  const isValid = async (address: string) => {
    const call = { type: 'json_schema', input: JSON.stringify(address) } as const;
    return (await run(validate, { ...call, options: { schema, formats: true } })).valid;
  };
  expect(await isValid(`${'é'.repeat(50_000)}!`)).toBe(false);
  expect(await isValid(`${'é'.repeat(50_000)}@`)).toBe(false);
  expect(await isValid(`é@${'é'.repeat(50_000)}!`)).toBe(false);
  expect(await isValid('"é@é"@bücher.example')).toBe(true);
  expect(await isValid('실례@실례.테스트')).toBe(true);
  expect(await isValid('é é@bücher.example')).toBe(false);
});

it('lets usual look-around by, on texts of any length', () => {
  const password = bounded('^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$');
  expect(password.test('Passw0rd')).toBe(true);
  expect(password.test('password')).toBe(false);
  expect(password.test(`${'a'.repeat(1_000_000)}A1`)).toBe(true);
});

// RE2 always runs a pattern with a repeated group that has alternatives.
it('means by RE2 what it means by the platform', () => {
  const letters = fc.constantFrom(...'abA0_ \n\r\t\u00A0\u2028\uFEFFé😀-]'.split(/(?:)/u));
  const atoms =
    'a b . \\s \\S \\d \\D \\w \\W [ab] [^a] [] [^] [\\s-] [^\\S] [^\\w\\s] [a-z] [\\-\\]] \\] \\cJ \\x41 \\0 ' +
    '\\u00e9 \\u{1F600} \\ud83d\\ude00 \\p{L} \\P{Lu} \\p{Script=Greek} ^ $ \\b \\B (?:)';
  const one = fc.constantFrom(...atoms.split(' '));
  const quantified = fc
    .tuple(
      fc.oneof(
        one,
        one.map((each) => `(${each}b)`),
      ),
      fc.constantFrom('', '*', '+?', '{1,2}'),
    )
    .map(([each, often]) => (/^(?:[\^$]|\\b|\\B)$/i.test(each) ? each : each + often));
  const alternative = fc.array(quantified, { maxLength: 3 }).map((each) => each.join(''));
  const source = fc
    .tuple(
      alternative,
      alternative,
      fc.constantFrom('', '^', '^(?=a|b)', '^(?!.*b)(?=\\s|.)'),
      fc.constantFrom('', '$'),
    )
    .map(([a, b, start, end]) => `${start}(?:${a}|${b}x)+${end}`);
  const text = fc.array(letters, { maxLength: 6 }).map((each) => each.join(''));
  fc.assert(
    fc.property(source, text, (each, given) => {
      expect(bounded(each).test(given), each).toBe(new RegExp(each, 'u').test(given));
    }),
    { numRuns: 3000 },
  );
});
