import { estimateTokenCount } from 'tokenx';
import { print } from './markdown.ts';
import {
  attribute,
  elementsIn,
  parseHtml,
  textOf,
  type Element,
  type Page,
  type Parent,
} from './parse.ts';
import { prepare } from './prepare.ts';
import { toTree } from './tree.ts';

export interface Options {
  extract_article: boolean;
  include_links: boolean;
  include_images: boolean;
  base_url?: string | undefined;
}

/** Addresses that run something, or are the thing itself. */
const dropped = new Set(['javascript:', 'vbscript:', 'data:']);

/** HTML as Markdown, with what the page says about itself. Throws a 422 for what cannot be parsed. */
export async function convert(html: string, options: Options) {
  const page = parseHtml(html);
  prepare(page.document);
  const { content, error, ...about } = await read(page, options.extract_article);
  const bases = elementsIn(page.document, 'base').map((each) => attribute(each, 'href'));
  const tree = toTree(content, {
    links: options.include_links,
    images: options.include_images,
    resolve: resolver(bases.find(Boolean), options.base_url),
  });
  const markdown = print(tree);
  return { markdown, ...about, token_estimate: estimateTokens(markdown), error };
}

async function read(page: Page, articleOnly: boolean) {
  if (!articleOnly) return whole(page, '');
  const { extractArticle } = await import('./article.ts');
  try {
    const { html, title, ...about } = extractArticle(page);
    const content = parseHtml(html).document;
    return { content, title: title || titleOf(page.document), ...about, error: '' };
  } catch (error) {
    const reason = (error as Error).message;
    return whole(page, `no article was found, so this is the whole page (${reason})`);
  }
}

function whole({ document }: Page, error: string) {
  const all = elementsIn(document, 'meta');
  const meta = (...names: string[]) =>
    names
      .map((name) => all.find((each) => nameOf(each) === name))
      .map((each) => each && attribute(each, 'content')?.trim())
      .find(Boolean) ?? '';
  return {
    content: document,
    title: titleOf(document),
    byline: meta('author', 'article:author'),
    excerpt: meta('description', 'og:description'),
    error,
  };
}

function titleOf(document: Parent): string {
  const titled = elementsIn(document, 'title')[0] ?? elementsIn(document, 'h1')[0];
  return titled ? textOf(titled).trim().replace(/\s+/g, ' ') : '';
}

const nameOf = (meta: Element) => attribute(meta, 'name') ?? attribute(meta, 'property');

/** Characters of a long text that are looked at, in pieces from all over it. */
const sample = 1_000_000;
const pieces = 100;

function estimateTokens(text: string): number {
  if (text.length <= sample) return estimateTokenCount(text);
  const [step, size] = [text.length / pieces, sample / pieces];
  const starts = Array.from({ length: pieces }, (_, i) => Math.floor(i * step));
  const counted = starts.map((start) => estimateTokenCount(text.slice(start, start + size)));
  return Math.round((counted.reduce((sum, count) => sum + count) * text.length) / sample);
}

/** @param base of the page's own @param given by the caller */
function resolver(base: string | undefined, given: string | undefined) {
  const from = URL.parse(base ?? '', given)?.href ?? given;
  return (address: string): string | undefined => {
    // Browsers take white space and control characters out before they look at the scheme.
    const trimmed = address.replace(/^[\0- ]+|[\t\n\r]|(?<![\0- ])[\0- ]+$/g, '');
    const url = URL.parse(trimmed, from ?? 'http://relative.invalid');
    if (url && dropped.has(url.protocol)) return undefined;
    return from === undefined || !url || trimmed.startsWith('#') ? trimmed : url.href;
  };
}
