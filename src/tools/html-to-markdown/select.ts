import { compile } from 'css-select';
import { invalidInput } from '../../errors.ts';
import {
  attribute,
  elementsIn,
  everything,
  isElement,
  textOf,
  type Element,
  type Node,
  type Parent,
} from './parse.ts';

/** Steps from element to element, after which a search with selectors would take seconds. */
const mostSteps = 20_000_000;
type Anything = Node | Parent;
type Field = 'include' | 'exclude';

/**
 * Leaves the parts of a page that `include` selects, without those that `exclude` selects. Returns a
 * warning if nothing would be left. Throws a 422 for what is no selector.
 */
export function narrow(document: Parent, include: string[], exclude: string[]): string {
  const [body] = elementsIn(document, 'body');
  if (!body) return '';
  const removed = new Set<Anything>(selected(body, exclude, 'exclude'));
  const kept = selected(body, include, 'include');
  remove(body, removed);
  if (include.length === 0) return '';
  const parts = kept.filter((each) => !isWithin(each, removed));
  if (parts.length === 0) return 'options.include selects nothing, so this is the whole page';
  body.childNodes = parts;
  for (const part of parts) part.parentNode = body;
  return '';
}

/** The outermost elements that a list of selectors matches, in the order of the page. */
function selected(body: Element, selectors: string[], field: Field): Element[] {
  if (selectors.length === 0) return [];
  const matches = compiled(selectors, field);
  const found: Element[] = [];
  const search = (parent: Parent) => {
    for (const node of parent.childNodes) {
      if (!isElement(node)) continue;
      if (matches(node)) found.push(node);
      else search(node);
    }
  };
  search(body);
  return found;
}

function compiled(selectors: string[], field: Field): (element: Element) => boolean {
  const adapter = adapterFor(field);
  const tests = selectors.map((selector, i) => {
    try {
      if (selector.trim() === '') throw new Error('it is empty');
      return compile<Anything, Element>(selector, { adapter });
    } catch (error) {
      throw invalidInput(
        `options.${field}`,
        `${quoted(selectors, i)}: ${(error as Error).message}`,
      );
    }
  });
  return (element) => tests.some((test) => test(element));
}

const quoted = (selectors: string[], i: number) =>
  `must be a CSS selector, and ${JSON.stringify(selectors[i])} is none`;

/** How css-select goes about a page of parse5. */
function adapterFor(field: Field) {
  let steps = 0;
  const isTag = (node: Anything): node is Element => {
    if (++steps > mostSteps) throw invalidInput(`options.${field}`, 'takes too long on this page');
    return isElement(node);
  };
  const parentOf = (node: Anything): Parent | null =>
    'parentNode' in node ? (node.parentNode ?? null) : null;
  const tagsIn = (nodes: Anything[]) =>
    nodes.flatMap((node) => [...everything(node as Parent)]).filter(isTag);
  return {
    isTag,
    getAttributeValue: attribute,
    hasAttrib: (element: Element, name: string) => attribute(element, name) !== undefined,
    getName: ({ tagName }: Element) => tagName,
    getText: (node: Anything) => textOf(node as Parent),
    getChildren: (node: Anything): Anything[] => ('childNodes' in node ? node.childNodes : []),
    getParent: parentOf,
    getSiblings: (node: Anything): Anything[] => parentOf(node)?.childNodes ?? [node],
    existsOne: (test: (element: Element) => boolean, nodes: Anything[]) => tagsIn(nodes).some(test),
    findAll: (test: (element: Element) => boolean, nodes: Anything[]) => tagsIn(nodes).filter(test),
    findOne: (test: (element: Element) => boolean, nodes: Anything[]) =>
      tagsIn(nodes).find(test) ?? null,
    removeSubsets: (nodes: Anything[]) => nodes,
  };
}

function remove(parent: Parent, removed: Set<Anything>): void {
  if (removed.size === 0) return;
  parent.childNodes = parent.childNodes.filter((node) => !removed.has(node));
  for (const node of parent.childNodes) if (isElement(node)) remove(node, removed);
}

function isWithin(element: Element, removed: Set<Anything>): boolean {
  for (let at: Anything | null = element; at; at = 'parentNode' in at ? at.parentNode : null) {
    if (removed.has(at)) return true;
  }
  return false;
}
