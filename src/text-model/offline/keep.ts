/**
 * What no rewriting may touch: code, links, addresses, paths, tags, mentions and quotations. Each
 * pattern begins where nothing like it goes on, or has a bound, so that no text takes it long.
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
    // Identifiers and names of files are written together.
    /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[._][\p{L}\p{N}]+)+/u,
    /(?<![\p{L}\p{N}_])[\p{L}\p{N}]*_[\p{L}\p{N}_]+/u,
    /(?<![\p{L}\p{N}])\p{Ll}+\p{Lu}[\p{L}\p{N}]*/u,
    /[\u{F0000}-\u{FFFFD}\u{100000}]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gmu',
);

/** Characters for private use (Unicode 23.5), one for each kept span. */
const first = 0xf0000;
const most = 0xfffd;

/** Works on a text without what must stay as it is; that takes part as single letters. */
export function keeping(text: string, work: (rest: string) => string): string {
  const kept: string[] = [];
  const rest = text.replace(untouchable, (span) => {
    if (kept.length === most) return span;
    return String.fromCodePoint(first + kept.push(span) - 1);
  });
  return work(rest).replace(
    /[\u{F0000}-\u{FFFFD}]/gu,
    (letter) => kept[letter.codePointAt(0)! - first] ?? letter,
  );
}
