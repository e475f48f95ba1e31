/**
 * Matches spans that no rule may change: code, links, addresses, paths, tags, mentions and quotations. Each
 * pattern is anchored by a lookbehind or has a bounded length, so that matching takes linear time.
 */
const untouchable = new RegExp(
  [
    /```[\s\S]*?(?:```|(?![\s\S]))/u,
    /~~~[\s\S]*?(?:~~~|(?![\s\S]))/u,
    /^(?: {4}|\t).*$/u,
    /`[^`\n]{1,1000}`/u,
    /\]\((?:[^)\]\n]|\](?!\()){0,1000}\)/u,
    /(?<![\w+.-])[a-z][a-z\d+.-]*:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'’]/u,
    /(?<![\w.])www\.[^\s<>"]*[^\s<>".,;:!?)\]}'’]/u,
    /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/u,
    /<\/?[a-zA-Z][^<>\n]*>/u,
    /"[^"\n]{0,1000}"|“[^“”\n]{0,1000}”|«[^«»\n]{0,1000}»|„[^„“”\n]{0,1000}[“”]/u,
    /‘[^‘’\n]{0,1000}’(?!\w)|(?<![\p{L}\p{N}])'(?:[^'\n]|(?<=\p{L})'(?=\p{L})){1,1000}'(?![\p{L}\p{N}])/u,
    /(?<![\p{L}\p{N}])[@#][\w-]+/u,
    /(?<![\p{L}\p{N}_./-])[\w.-]*(?:\/[\w.-]+){2,}/u,
    // Identifiers and file names.
    /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[._][\p{L}\p{N}]+)+/u,
    /(?<![\p{L}\p{N}_])[\p{L}\p{N}]*_[\p{L}\p{N}_]+/u,
    /(?<![\p{L}\p{N}])\p{Ll}+\p{Lu}[\p{L}\p{N}]*/u,
    /[\u{F0000}-\u{FFFFD}\u{100000}]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gmu',
);

/** First private-use character (Unicode 23.5) that stands for a span. */
const firstPlaceholder = 0xf0000;
const maxPlaceholders = 0xfffd;

/** Applies `work` to a text in which each untouchable span is replaced by one private-use character. */
export function keeping(text: string, work: (rest: string) => string): string {
  const kept: string[] = [];
  const rest = text.replace(untouchable, (span) => {
    if (kept.length === maxPlaceholders) return span;
    return String.fromCodePoint(firstPlaceholder + kept.push(span) - 1);
  });
  return work(rest).replace(
    /[\u{F0000}-\u{FFFFD}]/gu,
    (letter) => kept[letter.codePointAt(0)! - firstPlaceholder] ?? letter,
  );
}
