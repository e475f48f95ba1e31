import type {
  BlockContent,
  List,
  ListItem,
  PhrasingContent,
  Root,
  RootContent,
  TableRow,
} from 'mdast';
import { code } from './code.ts';
import { blocks, holdsBlocks, isHidden } from './elements.ts';
import { attribute, isElement, textOf, type Element, type Node, type Parent } from './parse.ts';
import { oneLine } from './formulas.ts';
import { tidy } from './phrasing.ts';
import { alignment, gridOf, isForLayout, rowsIn, rowsOf } from './tables.ts';

export interface Choices {
  links: boolean;
  images: boolean;
  /** Makes an address absolute. Returns undefined for a link that is to be dropped. */
  resolve(address: string): string | undefined;
}

/** The context of the current element. */
interface Scope extends Choices {
  /** Wraps the text of a line in the inline elements that contain the current block, such as a link. */
  wrap(line: PhrasingContent[]): PhrasingContent[];
}

/** Largest number of cells of a table. Spans of a thousand columns can make millions of cells. */
const maxCells = 100_000;

/** Converts a page to a Markdown tree (mdast). */
export function toTree(page: Parent, choices: Choices): Root {
  return {
    type: 'root',
    children: flow(page, { ...choices, wrap: (line) => line }) as RootContent[],
  };
}

/** Converts the children of an element to blocks. Text between blocks becomes paragraphs. */
function flow(parent: Parent, scope: Scope): BlockContent[] {
  const made: BlockContent[] = [];
  let line: PhrasingContent[] = [];
  const endLine = () => {
    const children = tidy(scope.wrap(tidy(line)));
    if (children.length > 0) made.push({ type: 'paragraph', children });
    line = [];
  };
  for (const node of parent.childNodes) {
    if (!isElement(node) || !holdsBlocks(node)) {
      append(line, phrasing(node, scope));
    } else if (!isHidden(node)) {
      endLine();
      append(made, block(node, scope));
    }
  }
  endLine();
  return made;
}

function block(element: Element, scope: Scope): BlockContent[] {
  const { tagName } = element;
  switch (tagName) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6': {
      const depth = Number(tagName[1]) as 1 | 2 | 3 | 4 | 5 | 6;
      const children = tidy(scope.wrap(inLine(element, scope)));
      return children.length > 0 ? [{ type: 'heading', depth, children }] : [];
    }
    case 'blockquote':
      return [{ type: 'blockquote', children: flow(element, scope) }];
    case 'ul':
    case 'ol':
    case 'menu':
    case 'dir':
      return [list(element, scope)];
    case 'dl':
      return [definitions(element, scope)];
    case 'pre':
    case 'listing':
    case 'xmp':
    case 'plaintext':
      return [code(element)];
    case 'summary':
      return summary(element, scope);
    case 'hr':
      return [{ type: 'thematicBreak' }];
    case 'table':
      return table(element, scope);
    default:
      return flow(element, within(element, scope));
  }
}

/** What opens `details`, in bold. */
function summary(element: Element, scope: Scope): BlockContent[] {
  const made = flow(element, scope);
  const [only] = made;
  if (made.length !== 1 || only?.type !== 'paragraph') return made;
  return [{ type: 'paragraph', children: [{ type: 'strong', children: only.children }] }];
}

/** With what an inline element that holds blocks puts around the lines in them. */
function within(element: Element, scope: Scope): Scope {
  if (blocks.has(element.tagName)) return scope;
  const wrap: Scope['wrap'] = (line) =>
    scope.wrap(line.length > 0 ? inline(element, line, scope) : []);
  return { ...scope, wrap };
}

/** Converts a node to inline content. */
function phrasing(node: Node, scope: Scope): PhrasingContent[] {
  if ('value' in node) return [{ type: 'text', value: node.value }];
  if (!isElement(node) || isHidden(node)) return [];
  const { tagName } = node;
  if (tagName === 'br') return [{ type: 'break' }];
  if (tagName === 'img') return image(node, scope);
  const tex = tagName === 'code' ? attribute(node, 'data-tex') : undefined;
  if (tex !== undefined) return [formula(tex, attribute(node, 'data-display') !== undefined)];
  if (tagName === 'code' || tagName === 'kbd' || tagName === 'samp' || tagName === 'tt') {
    const value = textOf(node).replace(/(?<!\s)\s*\n\s*/g, ' ');
    return value === '' ? [] : [{ type: 'inlineCode', value }];
  }
  return inline(
    node,
    node.childNodes.flatMap((child) => phrasing(child, scope)),
    scope,
  );
}

/** Dollar signs are what renderers know. Nothing in a formula may be a tag. */
function formula(tex: string, display: boolean): PhrasingContent {
  const marks = display ? '$$' : '$';
  return { type: 'html', value: `${marks}${tex.replace(/< ?/g, '\\lt ')}${marks}` };
}

function inline(element: Element, children: PhrasingContent[], scope: Scope): PhrasingContent[] {
  switch (element.tagName) {
    case 'em':
    case 'i':
      return [{ type: 'emphasis', children }];
    case 'strong':
    case 'b':
      return [{ type: 'strong', children }];
    case 'del':
    case 's':
    case 'strike':
      return [{ type: 'delete', children }];
    case 'sup':
    case 'sub':
      return raised(element.tagName, children);
    case 'q':
      return [{ type: 'text', value: '“' }, ...children, { type: 'text', value: '”' }];
    case 'a':
      return link(element, children, scope);
    default:
      return children;
  }
}

/** Characters that Unicode has above and below the line, in the same order. */
const plain = '0123456789+-−=()n';
const shifted = { sup: '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ', sub: '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙ' };

/** Text above or below the line. A link there is a reference to a note, and stands as it is. */
function raised(name: 'sup' | 'sub', children: PhrasingContent[]): PhrasingContent[] {
  const line = tidy(children);
  if (line.every(({ type }) => type === 'link')) return children;
  const [only] = line;
  if (line.length === 1 && only?.type === 'text') {
    const places = [...only.value].map((character) => plain.indexOf(character));
    const value = places.map((place) => [...shifted[name]][place]).join('');
    if (!places.includes(-1)) return [{ type: 'text', value }];
  }
  return [{ type: 'html', value: `<${name}>` }, ...line, { type: 'html', value: `</${name}>` }];
}

function link(element: Element, children: PhrasingContent[], scope: Scope): PhrasingContent[] {
  const address = attribute(element, 'href');
  const url = scope.links && address !== undefined ? scope.resolve(address) : undefined;
  // A link without text to its own page, such as the anchor of a heading, is dropped.
  if (url === undefined || (children.length === 0 && url.startsWith('#'))) return children;
  return [{ type: 'link', url, title: titleOf(element), children }];
}

/** A blank line would end the paragraph. */
const titleOf = (element: Element) =>
  (attribute(element, 'title') ?? '').replace(/\s*\n\s*\n\s*/g, '\n') || null;

function image(element: Element, scope: Scope): PhrasingContent[] {
  if (!scope.images) return [];
  const source = attribute(element, 'src');
  const url = source && scope.resolve(source);
  if (!url) return [];
  const alt = oneLine(attribute(element, 'alt') ?? '');
  return [{ type: 'image', url, alt, title: titleOf(element) }];
}

/** Converts an element to one line, for headings and table cells. */
function inLine(element: Parent, scope: Scope): PhrasingContent[] {
  const line = element.childNodes.flatMap((node): PhrasingContent[] => {
    if (!isElement(node) || !holdsBlocks(node)) return phrasing(node, scope);
    if (isHidden(node)) return [];
    const space: PhrasingContent = { type: 'text', value: ' ' };
    if (node.tagName === 'pre')
      return [space, { type: 'inlineCode', value: oneLine(textOf(node)) }, space];
    const inner = inLine(node, scope);
    return [space, ...(blocks.has(node.tagName) ? inner : inline(node, inner, scope)), space];
  });
  return tidy(line.map((each) => (each.type === 'break' ? { type: 'text', value: ' ' } : each)));
}

function list(element: Element, scope: Scope): List {
  const ordered = element.tagName === 'ol';
  const start = Number(attribute(element, 'start') ?? 1);
  const items: ListItem[] = [];
  for (const child of element.childNodes) {
    if (!isElement(child) || isHidden(child)) continue;
    // A list that is a direct child of a list belongs to the item before it.
    const last = items.at(-1);
    if (child.tagName !== 'li' && last) append(last.children, block(child, scope));
    else items.push(item(child, scope));
  }
  return {
    type: 'list',
    ordered,
    start: ordered ? (Number.isInteger(start) && start >= 0 ? start : 1) : null,
    spread: items.some(({ spread }) => spread),
    children: ordered ? placed(items) : items,
  };
}

/** Items that know their places: the printer asks for each one's, which it would look up among all. */
export function placed<T>(items: T[]): T[] {
  const places = new Map(items.map((each, place) => [each, place]));
  return Object.assign(items, { indexOf: (each: T) => places.get(each) ?? -1 });
}

function item(element: Element, scope: Scope): ListItem {
  const checkbox = firstIn(element);
  const checked =
    checkbox && attribute(checkbox, 'type') === 'checkbox'
      ? attribute(checkbox, 'checked') !== undefined
      : null;
  const spread = element.childNodes.some((child) => child.nodeName === 'p');
  return { type: 'listItem', spread, checked, children: flow(element, scope) };
}

/** Converts a definition list: terms in bold, each before its descriptions. */
function definitions(element: Element, scope: Scope): List {
  const items: ListItem[] = [];
  for (const child of groups(element)) {
    const isTerm = child.tagName === 'dt';
    const last = items.at(-1);
    if (isTerm || !last) {
      const name: PhrasingContent = {
        type: 'strong',
        children: tidy(scope.wrap(inLine(child, scope))),
      };
      const children: BlockContent[] = isTerm
        ? [{ type: 'paragraph', children: [name] }]
        : flow(child, scope);
      items.push({ type: 'listItem', spread: false, children });
      continue;
    }
    const said = flow(child, scope);
    const [first] = said;
    const term = last.children.length === 1 ? last.children[0] : undefined;
    if (term?.type === 'paragraph' && term.children.length === 1 && first?.type === 'paragraph') {
      term.children.push({ type: 'text', value: ': ' }, ...first.children);
      said.shift();
    }
    append(last.children, said);
  }
  return { type: 'list', ordered: false, spread: false, children: items };
}

function table(element: Element, scope: Scope): BlockContent[] {
  const rows = rowsIn(element);
  const grid = gridOf(rows, maxCells);
  const caption = element.childNodes.filter(isElement).find(({ tagName }) => tagName === 'caption');
  const above = caption ? flow(caption, scope) : [];
  if (!grid || isForLayout(element, grid)) {
    return [
      ...above,
      ...rowsOf(element)
        .flat()
        .flatMap((cell) => flow(cell, scope)),
    ];
  }
  const align = grid[0]!.map((cell) => (cell ? alignment(cell) : null));
  return [...above, { type: 'table', align, children: grid.map((cells) => row(cells, scope)) }];
}

const row = (cells: (Element | undefined)[], scope: Scope): TableRow => ({
  type: 'tableRow',
  children: cells.map((cell) => ({
    type: 'tableCell',
    children: cell ? tidy(scope.wrap(inLine(cell, scope))) : [],
  })),
});

/** Appends a list. `push(...more)` fails for more than some hundred thousand items. */
function append<T>(list: T[], more: T[]): void {
  for (const each of more) list.push(each);
}

/** Returns the first visible element of an item, if there is no text before it. */
function firstIn(element: Element): Element | undefined {
  for (const child of element.childNodes) {
    if ('value' in child && child.value.trim() === '') continue;
    if (!isElement(child)) return undefined;
    if (child.tagName === 'input') return child;
    return child.tagName === 'p' || child.tagName === 'label' ? firstIn(child) : undefined;
  }
  return undefined;
}

/** Returns terms and descriptions, including those in groups. */
const groups = (element: Element): Element[] =>
  element.childNodes
    .filter(isElement)
    .flatMap((child) => (child.tagName === 'div' ? groups(child) : [child]))
    .filter(({ tagName }) => tagName === 'dt' || tagName === 'dd');
