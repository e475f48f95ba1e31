import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { isElement, type Page, type Parent } from './parse.ts';

export interface Article {
  html: string;
  title: string;
  byline: string;
  excerpt: string;
}

/**
 * Limits for the search for an article. Its time is linear in the number of elements (25,000 take 3 s) and
 * grows faster than the square of the number of levels (1,000 take 10 s).
 */
const maxElements = 25_000;
const maxLevels = 200;
/** Largest number of attributes of an element. linkedom adds attributes in quadratic time. */
const maxAttributes = 100;

/**
 * Extracts the article by Readability, the library of Firefox's reader view. Throws an Error with the reason.
 */
export function extractArticle({ document, elements, levels }: Page): Article {
  if (elements > maxElements) throw new Error(`the page has more than ${maxElements} elements`);
  if (levels > maxLevels) throw new Error(`the page is nested more than ${maxLevels} levels deep`);
  const article = new Readability(asDom(document) as never).parse();
  if (!article?.content || !article.textContent?.trim()) throw new Error('nothing looked like one');
  return {
    html: article.content,
    title: article.title ?? '',
    byline: article.byline ?? '',
    excerpt: article.excerpt ?? '',
  };
}

/** Converts a page to a DOM document, which Readability needs. */
function asDom(page: Parent) {
  const { document } = parseHTML('<!doctype html><html></html>');
  const fill = (to: { appendChild(node: never): unknown }, { childNodes }: Parent) => {
    for (const node of childNodes) {
      if (isElement(node)) {
        const element = document.createElement(node.tagName);
        for (const { name, value } of node.attrs.slice(0, maxAttributes)) {
          element.setAttribute(name, value);
        }
        fill(element, node);
        to.appendChild(element as never);
      } else if (node.nodeName === '#text') {
        to.appendChild(document.createTextNode((node as { value: string }).value) as never);
      }
    }
  };
  const root = page.childNodes.find((node) => node.nodeName === 'html') as Parent;
  fill(document.documentElement, root);
  return document;
}
