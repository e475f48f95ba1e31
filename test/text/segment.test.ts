import { describe, expect, it } from 'vitest';
import { countWords, cutAtWord, sentencesOf } from '../../src/text/segment.ts';

describe('words', () => {
  it.each([
    ['Don’t stop; e-mail 3.5 files.', 6],
    ['委员会决定推迟实施。', 5],
    ['吾輩は猫である。名前はまだ無い。', 9],
    ['ภาษาไทยไม่มีช่องว่าง', 5],
    ['🎉 — … !', 0],
    ['TL;DR:', 2],
    ['', 0],
  ])('of %j are %i', (text, count) => {
    expect(countWords(text)).toBe(count);
  });

  it('are cut off whole, with an ellipsis', () => {
    expect(cutAtWord('One, two, three.', 2)).toBe('One, two…');
    expect(cutAtWord('One, two, three.', 3)).toBe('One, two, three.');
    expect(cutAtWord('委员会决定推迟实施。', 2)).toBe('委员会…');
  });
});

describe('sentences', () => {
  it.each([
    [
      'of titles, initials and abbreviations stay whole',
      'Dr. J. R. Smith met Gen. Lee in the U.S. Capitol. They spoke, e.g. about Fig. 3.',
      2,
    ],
    ['of German', 'Das kostet ca. 3,5 Mio. Euro. Hr. Meier zahlt z. B. in bar.', 2],
    ['of Russian', 'Он приехал в Москву в 2020 г. Потом уехал.', 2],
    ['of Chinese', '会议持续了三个小时。大家讨论了很多问题！下个月再开会？', 3],
    ['of Hindi', 'समिति ने निर्णय लिया है। बैठक कल होगी।', 2],
    ['of Arabic', 'قررت اللجنة التأجيل. هل هذا صحيح؟ نعم.', 3],
    ['without capitals', 'the plan failed. nobody knew why. dr. who did.', 3],
    ['are lines in lists', '- first\n- second\n3. third', 3],
    [
      'go on in lines that were wrapped',
      'This line is long enough to have been wrapped by a mail\nprogram, and goes on here.\n\nNew.',
      2,
    ],
  ])('%s', (_, text, count) => {
    expect(sentencesOf(text)).toHaveLength(count);
  });

  it('of a text that never ends are broken off', () => {
    const pieces = sentencesOf('word '.repeat(1000));
    expect(Math.max(...pieces.map(countWords))).toBe(100);
    expect(pieces.join(' ')).toBe('word '.repeat(1000).trim());
  });
});
