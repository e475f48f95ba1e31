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
 * Elements and levels beyond which looking for an article takes longer than anyone waits: time grows
 * with the first (25,000 take 3 s) and faster than the square of the second (1,000 take 10 s).
 */
const mostElements = 25_000;
const mostLevels = 200;
/** Of an element; linkedom goes through all of them for each new one. */
const mostAttributes = 100;

/** The article of a page, by Readability (what Firefox's reader view uses). Throws why there is none. */
export function extractArticle({ document, elements, levels }: Page): Article {
  if (elements > mostElements) throw new Error(`the page has more than ${mostElements} elements`);
  if (levels > mostLevels)
    throw new Error(`the page is nested more than ${mostLevels} levels deep`);
  const article = new Readability(asDom(document) as never).parse();
  if (!article?.content || !article.textContent?.trim()) throw new Error('nothing looked like one');
  return {
    html: article.content,
    title: article.title ?? '',
    byline: article.byline ?? '',
    excerpt: article.excerpt ?? '',
  };
}

/** The page as a document that programs for browsers can read. */
function asDom(page: Parent) {
  const { document } = parseHTML('<!doctype html><html></html>');
  const fill = (to: { appendChild(node: never): unknown }, { childNodes }: Parent) => {
    for (const node of childNodes) {
      if (isElement(node)) {
        const element = document.createElement(node.tagName);
        for (const { name, value } of node.attrs.slice(0, mostAttributes)) {
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
