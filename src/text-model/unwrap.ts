const summary =
  'summar|rewrit|version|text|points|bullet|tl;dr|zusammenfassung|fassung|résumé|resumen|versión|riassunto|resumo|versão|изложение|содержание|要約|摘要|总结|概要|요약';
const here =
  "here(?:['’]s| is| are)|below is|this is|the following is|voici|hier ist|aquí (?:tienes|está)|ecco|aqui está|вот|以下は|以下是|다음은";

/** Phrases that models add before or after the result. */
const courtesies = [
  /^(?:sure|certainly|of course|absolutely|gladly|okay|ok)(?:[!.,:] ?| thing[!.] ?|(?=\n))/i,
  new RegExp(String.raw`^(?:${here})[^\n:：]{0,80}(?:${summary})[^\n:：]{0,60}[:：]\s*`, 'i'),
  new RegExp(
    String.raw`^(?:\*\*|__|#+ )?(?:(?:${summary})[\p{L}]*|rewritten [a-z]+)(?:[:：](?:\*\*|__)?|(?:\*\*|__)[:：]?(?=\n)|(?<=#.*)(?=\n))\s*`,
    'iu',
  ),
  /\n+(?:let me know|i hope this|feel free to|if you(?:['’]d| would) like|would you like|is there anything|note: this)[^\n]*$/i,
];

const fence = /^(?:```|~~~)[^\n]*\n([\s\S]*?)\n?(?:```|~~~)$/;
const quotes = ['""', "''", '“”', '‘’', '«»', '„“', '「」', '『』'];

/**
 * Removes the additions of a model from its answer: reasoning, announcements, fences and quotation marks.
 * An addition that the given text has too is kept, because it may belong to the result.
 */
export function unwrapped(content: string, given: string): string {
  const thinking = /<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi;
  let text = content.replaceAll('\r\n', '\n').replace(thinking, '');
  // If the chat template has opened the reasoning, the answer contains only the closing tag.
  text = text.replace(/^[\s\S]*<\/think(?:ing)?>/i, '').trim();
  const foreign = courtesies.filter((courtesy) => !courtesy.test(given));
  for (let before = ''; before !== text;) {
    before = text;
    for (const courtesy of foreign) text = text.replace(courtesy, '').trim();
    if (!fence.test(given)) text = fence.exec(text)?.[1]?.trim() ?? text;
    text = withoutQuotes(text, given);
  }
  return text;
}

function withoutQuotes(text: string, given: string): string {
  const inner = text.slice(1, -1);
  const around = quotes.find(
    (pair) =>
      text.length > 1 &&
      text.startsWith(pair[0]!) &&
      text.endsWith(pair[1]!) &&
      !inner.includes(pair[0]!) &&
      !inner.includes(pair[1]!),
  );
  return around && !given.trim().startsWith(around[0]!) ? inner.trim() : text;
}
