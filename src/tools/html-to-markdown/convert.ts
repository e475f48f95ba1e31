import type { Root } from 'mdast';
import { estimateTokenCount } from 'tokenx';
import { stringify } from 'yaml';
import { aboutOf, type About } from './about.ts';
import type { Input } from './index.ts';
import { print, type Links } from './markdown.ts';
import { parseHtml, type Page } from './parse.ts';
import { prepare } from './prepare.ts';
import { shorten } from './shorten.ts';
import { toTree } from './tree.ts';

/** Addresses that run something, or are the thing itself. */
const dropped = new Set(['javascript:', 'vbscript:', 'data:']);

/** HTML as Markdown, with what the page says about itself. Throws a 422 for what cannot be parsed. */
export async function convert(html: string, options: Input['options']) {
  const page = parseHtml(html);
  const about = aboutOf(page.document);
  const unselected = await select(page, options);
  prepare(page.document);
  const { content, error, ...found } = await read(page, about, options.extract_article);
  const links = options.include_links ? (options.links ?? 'inline') : 'none';
  const resolve = resolver(about.base, options.base_url);
  const tree = toTree(content, {
    links: links !== 'none',
    images: options.include_images,
    resolve,
  });
  const front = options.front_matter ? frontMatter({ ...about, ...found }, resolve) : '';
  const { markdown, cut } = written(tree, front, links, options.max_tokens);
  const { title, byline, excerpt } = found;
  const warnings = [unselected, error, cut].filter(Boolean).join('; ');
  return {
    markdown,
    title,
    byline,
    excerpt,
    token_estimate: estimateTokens(markdown),
    error: warnings,
  };
}

async function select({ document }: Page, { include = [], exclude = [] }: Input['options']) {
  if (include.length + exclude.length === 0) return '';
  const { narrow } = await import('./select.ts');
  return narrow(document, [include].flat(), [exclude].flat());
}

async function read(page: Page, about: About, articleOnly: boolean) {
  const { title, byline, excerpt } = about;
  const whole = { content: page.document, title, byline, excerpt };
  if (!articleOnly) return { ...whole, error: '' };
  const { extractArticle } = await import('./article.ts');
  try {
    const { html, ...article } = extractArticle(page);
    return {
      ...article,
      content: parseHtml(html).document,
      title: article.title || title,
      error: '',
    };
  } catch (error) {
    const reason = (error as Error).message;
    return { ...whole, error: `no article was found, so this is the whole page (${reason})` };
  }
}

/** What a page says about itself as YAML, which most programs read before Markdown. */
function frontMatter(about: About, resolve: (address: string) => string | undefined): string {
  const fields = {
    title: about.title,
    author: about.byline,
    date: about.date,
    language: about.language,
    site: about.site,
    canonical_url: about.canonicalUrl && resolve(about.canonicalUrl),
  };
  const known = Object.entries(fields).filter(([, value]) => value);
  return `---\n${known.length > 0 ? stringify(Object.fromEntries(known), { lineWidth: 0 }) : ''}---\n\n`;
}

/** A tree as Markdown, or as much of it as has a number of tokens at most. */
function written(tree: Root, front: string, links: Links, mostTokens = Infinity) {
  const write = (part: Root) => front + print(part, links);
  const whole = write(tree);
  const tokens = estimateTokens(whole);
  if (tokens <= mostTokens) return { markdown: whole, cut: '' };
  // A word has a token at least.
  const part = shorten(tree, mostTokens, (each) => estimateTokens(write(each)) <= mostTokens);
  return {
    markdown: write(part),
    cut: `max_tokens cut the page, which has about ${tokens} tokens`,
  };
}

/** Characters of a long text from which its tokens are estimated, in pieces from all parts of the text. */
const sampleCharacters = 1_000_000;
const pieces = 100;

function estimateTokens(text: string): number {
  if (text.length <= sampleCharacters) return estimateTokenCount(text);
  const [step, size] = [text.length / pieces, sampleCharacters / pieces];
  const starts = Array.from({ length: pieces }, (_, i) => Math.floor(i * step));
  const counted = starts.map((start) => estimateTokenCount(text.slice(start, start + size)));
  return Math.round((counted.reduce((sum, count) => sum + count) * text.length) / sampleCharacters);
}

/** @param base of the page's own @param given by the caller */
function resolver(base: string, given: string | undefined) {
  const from = URL.parse(base, given)?.href ?? given;
  return (address: string): string | undefined => {
    // Browsers remove white space and control characters before they parse the scheme.
    const trimmed = address.replace(/^[\0- ]+|[\t\n\r]|(?<![\0- ])[\0- ]+$/g, '');
    const url = URL.parse(trimmed, from ?? 'http://relative.invalid');
    if (url && dropped.has(url.protocol)) return undefined;
    return from === undefined || !url || trimmed.startsWith('#') ? trimmed : url.href;
  };
}
