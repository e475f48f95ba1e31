import {
  defaultTreeAdapter,
  html as standard,
  parse,
  parseFragment,
  type DefaultTreeAdapterTypes,
} from 'parse5';
import { invalidInput } from '../../errors.ts';

export type Node = DefaultTreeAdapterTypes.ChildNode;
export type Element = DefaultTreeAdapterTypes.Element;
export type Parent = DefaultTreeAdapterTypes.ParentNode;

export interface Page {
  document: Parent;
  /** Number of elements, and largest number of nested elements. */
  elements: number;
  levels: number;
}

/** Largest number of nested elements. Browsers have a limit of 512. */
const maxLevels = 1000;
/**
 * Largest number of elements for each `<` in the source. The parser repeats formatting that is closed in the
 * wrong order.
 */
const maxElementsPerTag = 8;

/** Parses a document as browsers do (HTML, 13.2). Throws a 422 for a document that would take too long. */
export function parseHtml(html: string): Page {
  const most = 1000 + maxElementsPerTag * (html.match(/</g)?.length ?? 0);
  let [elements, level, levels] = [0, 0, 0];
  const document = parse(html, {
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement(...given) {
        if (++elements > most)
          throw invalidInput('html', 'has too many tags closed in the wrong order');
        return defaultTreeAdapter.createElement(...given);
      },
      onItemPush() {
        levels = Math.max(levels, ++level);
        if (level > maxLevels)
          throw invalidInput('html', `is nested more than ${maxLevels} levels deep`);
      },
      onItemPop() {
        level -= 1;
      },
    },
  });
  return { document, elements, levels };
}

/** Parses a piece of a page: what is in a `noscript`, say. */
export const parsePiece = (html: string): Parent => parseFragment(html);

/** Creates an element. Attributes without a value are left out. */
export function make(
  tagName: string,
  attributes: Record<string, string | undefined>,
  children: Node[] = [],
): Element {
  const attrs = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  const element = defaultTreeAdapter.createElement(tagName, standard.NS.HTML, attrs);
  for (const child of children) defaultTreeAdapter.appendChild(element, child);
  return element;
}

export const textNode = (text: string): Node => defaultTreeAdapter.createTextNode(text);

export const isElement = (node: Node | Parent): node is Element => 'tagName' in node;

export const attribute = ({ attrs }: Element, name: string) =>
  attrs.find((each) => each.name === name)?.value;

export const classOf = (element: Element) => attribute(element, 'class') ?? '';

/** All elements of a name, in the order of the document. */
export function elementsIn(parent: Parent, tagName: string): Element[] {
  const found: Element[] = [];
  for (const node of everything(parent)) {
    if (isElement(node) && node.tagName === tagName) found.push(node);
  }
  return found;
}

/** Returns all text in a node, with its white space. */
export function textOf(parent: Parent): string {
  let text = '';
  for (const node of everything(parent)) {
    if (node.nodeName === 'br') text += '\n';
    else if ('value' in node) text += node.value;
  }
  return text;
}

/** The text of an element that has little in it; undefined for others, which are not read through. */
export function shortTextOf(element: Element): string | undefined {
  let [text, nodes] = ['', 0];
  for (const node of everything(element)) {
    if ('value' in node) text += node.value;
    if (++nodes > 50 || text.length > 100) return undefined;
  }
  return text.trim();
}

/** A node and all below it, in the order of the document. */
export function* everything(parent: Parent): Generator<Node | Parent> {
  const waiting: (Node | Parent)[] = [parent];
  for (let node; (node = waiting.pop());) {
    yield node;
    if (!('childNodes' in node)) continue;
    for (let i = node.childNodes.length; i-- > 0;) waiting.push(node.childNodes[i]!);
  }
}
