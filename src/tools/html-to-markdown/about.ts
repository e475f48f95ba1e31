import { oneLine } from './formulas.ts';
import { attribute, everything, isElement, textOf, type Element, type Parent } from './parse.ts';

/** What a page says about itself; empty where it says nothing. */
export interface About {
  title: string;
  byline: string;
  excerpt: string;
  date: string;
  language: string;
  site: string;
  canonicalUrl: string;
  /** The address in `<base>`. */
  base: string;
}

const telling = new Set(['html', 'base', 'title', 'h1', 'meta', 'link', 'script', 'time']);

/** Reads what a page says about itself, in `meta` elements (Open Graph, Dublin Core) and JSON-LD. */
export function aboutOf(document: Parent): About {
  const found = new Map<string, Element[]>();
  for (const node of everything(document)) {
    if (!isElement(node) || !telling.has(node.tagName)) continue;
    const others = found.get(node.tagName);
    if (others) others.push(node);
    else found.set(node.tagName, [node]);
  }
  const all = (tagName: string) => found.get(tagName) ?? [];
  const metas = metaValues(all('meta'));
  const meta = (...names: string[]) => names.map((name) => metas.get(name)).find(Boolean) ?? '';
  const data = jsonLd(all('script'));
  const titled = all('title')[0] ?? all('h1')[0];
  const first = (tagName: string, name: string) =>
    all(tagName)
      .map((each) => attribute(each, name)?.trim())
      .find(Boolean) ?? '';
  const canonical = all('link').find(
    (each) => attribute(each, 'rel')?.toLowerCase() === 'canonical',
  );
  const published = all('time').find(
    (each) =>
      attribute(each, 'itemprop') === 'datePublished' || attribute(each, 'pubdate') !== undefined,
  );
  return {
    title: titled ? oneLine(textOf(titled)) : '',
    byline: meta('author', 'article:author', 'dc.creator', 'dcterms.creator') || data.author,
    excerpt: meta('description', 'og:description'),
    date:
      meta(
        'article:published_time',
        'datepublished',
        'date',
        'dc.date',
        'dcterms.date',
        'pubdate',
      ) ||
      data.date ||
      (published ? (attribute(published, 'datetime') ?? oneLine(textOf(published))) : ''),
    language: first('html', 'lang') || meta('content-language', 'og:locale', 'dc.language'),
    site: meta('og:site_name', 'application-name') || data.site,
    canonicalUrl: (canonical && attribute(canonical, 'href')?.trim()) || meta('og:url'),
    base: first('base', 'href'),
  };
}

/** The first value of each name. */
function metaValues(metas: Element[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const each of metas) {
    const names = ['name', 'property', 'itemprop', 'http-equiv'];
    const name = names
      .map((from) => attribute(each, from))
      .find(Boolean)
      ?.toLowerCase();
    const value = attribute(each, 'content')?.trim();
    if (name && value && !values.has(name)) values.set(name, value);
  }
  return values;
}

/** What JSON-LD says in the terms of schema.org. */
function jsonLd(scripts: Element[]) {
  const things = scripts
    .filter((each) => attribute(each, 'type')?.toLowerCase() === 'application/ld+json')
    .flatMap((each) => thingsIn(textOf(each)));
  const nameOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(nameOf).filter(Boolean).join(', ');
    if (typeof value === 'object' && value !== null)
      return nameOf((value as { name?: unknown }).name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const first = (name: string) => things.map((each) => nameOf(each[name])).find(Boolean) ?? '';
  return { author: first('author'), date: first('datePublished'), site: first('publisher') };
}

function thingsIn(json: string): Record<string, unknown>[] {
  try {
    const value = JSON.parse(json) as unknown;
    return [value]
      .flat()
      .flatMap((each) => [each, ...[(each as { '@graph'?: unknown } | null)?.['@graph']].flat()])
      .filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null);
  } catch {
    return [];
  }
}
