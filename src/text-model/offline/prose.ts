/** What in Markdown and HTML is not said in sentences: code, tables, rules, comments, pictures, tags. */
const apart =
  /^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|(?![\s\S]))|^ {0,3}\|.*\|[ \t]*$|^ {0,3}(?:[-*_=][ \t]*){3,}$|<!--(?:(?!<!--)[\s\S])*?-->|!\[[^\]\n]{0,300}\]\((?:[^)\]\n]|\](?!\()){0,1000}\)|<\/?[a-zA-Z][^<>\n]*>/gm;

/** The sentences of a text without what stands between them; all of it, where there is nothing else. */
export function proseOf(text: string): string {
  const prose = text.replace(apart, '\n');
  return /[\p{L}\p{N}]{2}/u.test(prose) ? prose : text;
}
