import type { PDFPageProxy } from 'pdfjs-dist';
import type { TextItem, TextMarkedContent } from 'pdfjs-dist/types/src/display/api.js';

/** A text item, or the begin or end of marked content. The library's types lack `tag`. */
type Item = TextItem | (TextMarkedContent & { tag?: string });

/** Marked content (ISO 32000-2, 14.6). */
interface Marked {
  /** The text; `\n` separates lines. */
  text: string;
  /** Whether the text is in a monospaced font. */
  mono: boolean;
  items: TextItem[];
}

/** The content of a page, by the ids to which the structure tree refers. */
export interface Page {
  text: Map<string, Marked>;
  /** Text without an id, except artifacts such as page numbers. */
  loose: string;
  links: Map<string, string>;
  /** Paths of the pictures in page order. Each figure removes the first. */
  pictures: string[];
}

/** Reads the text of a page by marked content, and its links. */
export async function contentOf(page: PDFPageProxy): Promise<Page> {
  const { items, styles } = await page.getTextContent({ includeMarkedContent: true });
  const text: Page['text'] = new Map();
  const open: { id: string | null; artifact: boolean }[] = [];
  let loose = '';
  const isMono = ({ fontName }: TextItem) => styles[fontName]?.fontFamily === 'monospace';
  for (const item of withSoftHyphens(inReadingOrder(items), isMono)) {
    if ('str' in item) {
      // Content without an id belongs to the enclosing content.
      const id = open.findLast((one) => one.id)?.id;
      if (!id) {
        if (!open.some(({ artifact }) => artifact)) loose += item.str;
        continue;
      }
      const own = text.get(id) ?? { text: '', mono: true, items: [] };
      own.text += item.str === '' && item.hasEOL ? '\n' : item.str + (item.hasEOL ? '\n' : '');
      // Chinese fonts are monospaced too, so only ASCII text counts.
      if (item.str.trim()) own.mono &&= /^[\x20-\x7e]*$/.test(item.str) && isMono(item);
      own.items.push(item);
      text.set(id, own);
    } else if (item.type === 'endMarkedContent') open.pop();
    else open.push({ id: item.id as string | null, artifact: item.tag === 'Artifact' });
  }
  const annotations = (await page.getAnnotations()) as { id: string; url?: string }[];
  const links = annotations.filter(({ url }) => url).map(({ id, url }) => [id, url!] as const);
  return { text, loose, links: new Map(links), pictures: [] };
}

/**
 * Reads a page as paragraphs in Markdown without any markup. A gap of more than half a line begins a
 * paragraph.
 */
export async function paragraphsOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  let text = '';
  let last: TextItem | undefined;
  for (const item of inReadingOrder(items)) {
    if (!('str' in item)) continue;
    if (last && item.str.trim()) {
      const gap = Math.abs((item.transform[5] as number) - (last.transform[5] as number));
      if (gap > 1.5 * Math.max(item.height, last.height)) text = `${text.trimEnd()}\n\n`;
    }
    text += item.str + (item.hasEOL ? '\n' : '');
    if (item.str.trim()) last = item;
  }
  return text
    .trim()
    .replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')
    .replaceAll(/^[^\S\n]+/gm, '');
}

/** Replaces a separate hyphen at the end of a line by a soft hyphen, because it comes from hyphenation. */
function withSoftHyphens(items: Item[], isMono: (item: TextItem) => boolean): Item[] {
  return items.map((item, i) => {
    if (!('str' in item) || item.str !== '-' || isMono(item)) return item;
    const next = items.slice(i + 1).find((one) => 'str' in one);
    return item.hasEOL || (next?.hasEOL && next.str === '') ? { ...item, str: '\u00AD' } : item;
  });
}

/**
 * Brings right-to-left text into reading order. Its items come in any order, and only their positions on the
 * page tell the right one. Each run of such items becomes one item. Letters within an item are in order.
 */
function inReadingOrder(items: Item[]): Item[] {
  const ordered = [...items];
  let run: number[] = [];
  const turn = () => {
    const pieces = run.map((i) => items[i] as TextItem);
    const backwards = pieces.some(({ dir }) => dir === 'rtl');
    const [first, ...rest] = run;
    run = [];
    if (!backwards || first === undefined) return;
    ordered[first] = { ...pieces[0]!, str: turned(pieces) };
    for (const i of rest) ordered[i] = { ...(items[i] as TextItem), str: '' };
  };
  for (const [i, item] of items.entries()) {
    if (!('str' in item)) continue;
    if (item.dir !== 'rtl' && /[\p{L}\p{N}]/u.test(item.str)) turn();
    else run.push(i);
    if (item.hasEOL) turn();
  }
  turn();
  return ordered;
}

/** Joins a run of items from right to left. Punctuation at its outer sides keeps its place in the line. */
function turned(run: TextItem[]): string {
  const left = ({ transform }: TextItem) => transform[4] as number;
  const letters = run.filter(({ dir }) => dir === 'rtl').map(left);
  const signs = run.filter(({ str }) => str.trim());
  const before = signs.filter((one) => left(one) < Math.min(...letters));
  const after = signs.filter((one) => left(one) > Math.max(...letters));
  const inner = signs
    .filter((one) => !before.includes(one) && !after.includes(one))
    .toSorted((a, b) => left(b) - left(a));
  const spaced = inner.map((one, i) => {
    const next = inner[i + 1];
    const gap = next ? left(one) - left(next) - next.width : 0;
    return gap > one.height / 10 ? `${one.str} ` : one.str;
  });
  const outside = (pieces: TextItem[]) => pieces.map(({ str }) => str).join('');
  const space = (one: TextItem) => (one.str.trim() ? '' : ' ');
  const text = outside(before) + spaced.join('') + outside(after);
  return space(run[0]!) + text + space(run.at(-1)!);
}
