/** Matches Markdown and HTML other than prose: code, tables, rules, comments, pictures, tags. */
const nonProse =
  /^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|(?![\s\S]))|^ {0,3}\|.*\|[ \t]*$|^ {0,3}(?:[-*_=][ \t]*){3,}$|<!--(?:(?!<!--)[\s\S])*?-->|!\[[^\]\n]{0,300}\]\((?:[^)\]\n]|\](?!\()){0,1000}\)|<\/?[a-zA-Z][^<>\n]*>/gm;

/** Returns the prose of a text; the whole text if it has no prose. */
export function proseOf(text: string): string {
  const prose = text.replace(nonProse, '\n');
  return /[\p{L}\p{N}]{2}/u.test(prose) ? prose : text;
}
