/** Words or so from which on a guess is worth something. */
const enough = 40;

/**
 * The language of a text as ISO 639-1; undefined where that cannot be told, as of a short text, of
 * code, or of a language that is not one of the 24 commonest on the web.
 */
export async function languageOf(text: string): Promise<string | undefined> {
  const { detectAll } = await import('tinyld/light');
  const [first, second] = detectAll(text.slice(0, 5000));
  // It takes Chinese for Chinese only where there is much of it.
  if (!first) return /\p{Script=Han}/u.test(text) ? 'zh' : undefined;
  return first.accuracy >= 2 * (second?.accuracy ?? 0) ? first.lang : undefined;
}

/** Whether two texts may be in one language: they are not known to differ. */
export async function mayShareLanguage(one: string, other: string): Promise<boolean> {
  if (scriptOf(one) !== scriptOf(other)) return scriptOf(one) === '' || scriptOf(other) === '';
  if (one.length < enough || other.length < enough) return true;
  const [first, second] = await Promise.all([languageOf(one), languageOf(other)]);
  return !first || !second || first === second;
}

const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Arabic',
  'Hebrew',
  'Devanagari',
  'Thai',
  'Hangul',
  // Japanese has both.
  String.raw`Han}\p{Script=Hiragana}\p{Script=Katakana`,
].map((name) => new RegExp(String.raw`[\p{Script=${name}}]`, 'gu'));

/** The script that most letters of a text are of; empty when it has none of these. */
function scriptOf(text: string): string {
  const sample = text.slice(0, 5000);
  const counts = scripts.map((script) => sample.match(script)?.length ?? 0);
  const most = Math.max(...counts);
  return most === 0 ? '' : String(counts.indexOf(most));
}
