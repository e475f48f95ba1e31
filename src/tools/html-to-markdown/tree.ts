import type {
  BlockContent,
  List,
  ListItem,
  PhrasingContent,
  Root,
  RootContent,
  Table,
  TableCell,
} from 'mdast';
import {
  attribute,
  elementsIn,
  isElement,
  textOf,
  type Element,
  type Node,
  type Parent,
} from './parse.ts';
import { tidy } from './phrasing.ts';

export interface Choices {
  links: boolean;
  images: boolean;
  /** Makes an address absolute; undefined for one that is to be left out. */
  resolve(address: string): string | undefined;
}

/** Elements of which nothing is seen on a page, or nothing that Markdown has. */
const unseen = new Set(
  (
    'area audio base canvas col colgroup datalist dialog embed frame frameset head iframe link map meta ' +
    'noembed noframes noscript object optgroup option param script select source style svg template ' +
    'title track video'
  ).split(' '),
);

/** Elements that stand on lines of their own (HTML, 15.3). */
const blocks = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ' +
    'ol p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp'
  ).split(' '),
);

/** Cells of a table that is a table; beyond, spans of a thousand columns make millions of them. */
const mostCells = 100_000;

/** What goes around the text of every line that a part of the page has: a link, an emphasis. */
type Wrap = (children: PhrasingContent[]) => PhrasingContent[];
const bare: Wrap = (children) => children;

/** A page as a Markdown tree (mdast). */
export function toTree(page: Parent, choices: Choices): Root {
  return { type: 'root', children: flow(page, bare) as RootContent[] };

  /** The blocks of an element; text between them becomes paragraphs. */
  function flow(parent: Parent, wrap: Wrap): BlockContent[] {
    const made: BlockContent[] = [];
    let line: PhrasingContent[] = [];
    const endLine = () => {
      const children = tidy(wrap(tidy(line)));
      if (children.length > 0) made.push({ type: 'paragraph', children });
      line = [];
    };
    for (const node of lonely(parent).childNodes) {
      if (!isElement(node) || !holdsBlocks(node)) {
        append(line, phrasing(node));
      } else if (!isHidden(node)) {
        endLine();
        append(made, block(node, wrap));
      }
    }
    endLine();
    return made;
  }

  function block(element: Element, wrap: Wrap): BlockContent[] {
    const { tagName } = element;
    switch (tagName) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6': {
        const depth = Number(tagName[1]) as 1 | 2 | 3 | 4 | 5 | 6;
        const children = tidy(wrap(inLine(element)));
        return children.length > 0 ? [{ type: 'heading', depth, children }] : [];
      }
      case 'blockquote':
        return [{ type: 'blockquote', children: flow(element, wrap) }];
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return [list(element, wrap)];
      case 'dl':
        return [definitions(element, wrap)];
      case 'pre':
      case 'listing':
      case 'xmp':
      case 'plaintext':
        return [code(element)];
      case 'hr':
        return [{ type: 'thematicBreak' }];
      case 'table':
        return table(element, wrap);
      default:
        return flow(element, around(element, wrap));
    }
  }

  /** What an inline element that holds blocks puts around the lines in them. */
  function around(element: Element, wrap: Wrap): Wrap {
    if (blocks.has(element.tagName)) return wrap;
    return (children) => wrap(children.length > 0 ? inline(element, children) : []);
  }

  /** The text of a node on one line. */
  function phrasing(node: Node): PhrasingContent[] {
    if (node.nodeName === '#text')
      return [{ type: 'text', value: (node as { value: string }).value }];
    if (!isElement(node) || isHidden(node)) return [];
    const { tagName } = node;
    if (tagName === 'br') return [{ type: 'break' }];
    if (tagName === 'img') return image(node);
    if (tagName === 'math') return formula(node);
    if (tagName === 'code' || tagName === 'kbd' || tagName === 'samp' || tagName === 'tt') {
      const value = textOf(node).replace(/\s*\n\s*/g, ' ');
      return value === '' ? [] : [{ type: 'inlineCode', value }];
    }
    return inline(node, node.childNodes.flatMap(phrasing));
  }

  function inline(element: Element, children: PhrasingContent[]): PhrasingContent[] {
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
      case 'q':
        return [{ type: 'text', value: '“' }, ...children, { type: 'text', value: '”' }];
      case 'a':
        return link(element, children);
      default:
        return children;
    }
  }

  function link(element: Element, children: PhrasingContent[]): PhrasingContent[] {
    const address = attribute(element, 'href');
    const url = choices.links && address !== undefined ? choices.resolve(address) : undefined;
    // An anchor of a heading, say: nothing to read, and it leads to where one is.
    if (url === undefined || (children.length === 0 && url.startsWith('#'))) return children;
    return [{ type: 'link', url, title: attribute(element, 'title') || null, children }];
  }

  function image(element: Element): PhrasingContent[] {
    if (!choices.images) return [];
    const lazy = ['data-src', 'data-original', 'data-lazy-src'].map((name) =>
      attribute(element, name),
    );
    const source = attribute(element, 'src');
    const url = [source, ...lazy].map((each) => each && choices.resolve(each)).find(Boolean);
    const alt = attribute(element, 'alt') ?? '';
    if (url === undefined) return [];
    return [{ type: 'image', url: url as string, alt, title: attribute(element, 'title') || null }];
  }

  /** Everything in an element on one line: for headings and the cells of tables. */
  function inLine(element: Parent): PhrasingContent[] {
    const line = element.childNodes.flatMap((node): PhrasingContent[] => {
      if (!isElement(node) || !holdsBlocks(node)) return phrasing(node);
      if (isHidden(node)) return [];
      const space: PhrasingContent = { type: 'text', value: ' ' };
      if (node.tagName === 'pre')
        return [space, { type: 'inlineCode', value: oneLine(textOf(node)) }, space];
      const inner = inLine(node);
      return [space, ...(blocks.has(node.tagName) ? inner : inline(node, inner)), space];
    });
    return tidy(line.map((each) => (each.type === 'break' ? { type: 'text', value: ' ' } : each)));
  }

  function list(element: Element, wrap: Wrap): List {
    const ordered = element.tagName === 'ol';
    const start = Number(attribute(element, 'start') ?? 1);
    const items: ListItem[] = [];
    for (const child of element.childNodes) {
      if (!isElement(child) || isHidden(child)) continue;
      // Lists right in a list, without an item around them, belong to the item before.
      const last = items.at(-1);
      if (child.tagName !== 'li' && last) append(last.children, block(child, wrap));
      else items.push(item(child, wrap));
    }
    return {
      type: 'list',
      ordered,
      start: ordered ? (Number.isInteger(start) && start >= 0 ? start : 1) : null,
      spread: items.some(({ spread }) => spread),
      children: items,
    };
  }

  function item(element: Element, wrap: Wrap): ListItem {
    const checkbox = firstIn(element);
    const checked =
      checkbox && attribute(checkbox, 'type') === 'checkbox'
        ? attribute(checkbox, 'checked') !== undefined
        : null;
    const spread = element.childNodes.some((child) => child.nodeName === 'p');
    return { type: 'listItem', spread, checked, children: flow(element, wrap) };
  }

  /** Terms in bold, each before what is said of it. */
  function definitions(element: Element, wrap: Wrap): List {
    const items: ListItem[] = [];
    for (const child of groups(element)) {
      const isTerm = child.tagName === 'dt';
      const last = items.at(-1);
      if (isTerm || !last) {
        const name: PhrasingContent = { type: 'strong', children: tidy(wrap(inLine(child))) };
        const children: BlockContent[] = isTerm
          ? [{ type: 'paragraph', children: [name] }]
          : flow(child, wrap);
        items.push({ type: 'listItem', spread: false, children });
        continue;
      }
      const said = flow(child, wrap);
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

  function table(element: Element, wrap: Wrap): BlockContent[] {
    const rows = rowsOf(element)
      .map(cellsOf)
      .filter((cells) => cells.length > 0);
    const widths = rows.map((cells) => cells.reduce((sum, cell) => sum + span(cell), 0));
    const width = widths.reduce((most, each) => Math.max(most, each), 0);
    const role = attribute(element, 'role');
    const forLayout =
      role === 'presentation' || role === 'none' || elementsIn(element, 'table').length > 1;
    const caption = element.childNodes
      .filter(isElement)
      .find(({ tagName }) => tagName === 'caption');
    const above = caption ? flow(caption, wrap) : [];
    const oneColumn = width < 2 && elementsIn(element, 'th').length === 0;
    if (forLayout || oneColumn || width * rows.length > mostCells) {
      return [...above, ...rows.flat().flatMap((cell) => flow(cell, wrap))];
    }
    const made: Table = {
      type: 'table',
      align: widened(rows[0]!).map((cell) => (cell ? alignment(cell) : null)),
      children: rows.map((cells) => {
        const wide = widened(cells);
        const children = Array.from({ length: width }, (_, i): TableCell => {
          const cell = wide[i];
          return { type: 'tableCell', children: cell ? tidy(wrap(inLine(cell))) : [] };
        });
        return { type: 'tableRow', children };
      }),
    };
    return [...above, made];
  }

  /** Elements that are not shown, by their name, an attribute or their own style. */
  function isHidden(element: Element): boolean {
    return unseen.has(element.tagName) || element.attrs.some(hides);
  }
}

/** `push` takes its arguments from the stack, which ends at some hundred thousand. */
function append<T>(list: T[], more: T[]): void {
  for (const each of more) list.push(each);
}

const hides = ({ name, value }: { name: string; value: string }) =>
  name === 'hidden' ||
  (name === 'style' && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(value)) ||
  // KaTeX shows each formula twice, and the other one is better to read.
  (name === 'class' && /(?:^|\s)katex-html(?:\s|$)/.test(value));

/** Whether an element makes lines of its own: as a block, or by a block somewhere in it. */
const known = new WeakMap<Element, boolean>();
function holdsBlocks(element: Element): boolean {
  const before = known.get(element);
  if (before !== undefined) return before;
  const holds =
    blocks.has(element.tagName) ||
    (!unseen.has(element.tagName) &&
      element.childNodes.some((node) => isElement(node) && holdsBlocks(node)));
  known.set(element, holds);
  return holds;
}

/** Goes down while there is nothing but one more division, however many there are of them. */
function lonely(parent: Parent): Parent {
  let inner = parent;
  for (;;) {
    const [only, ...others] = inner.childNodes;
    if (others.length > 0 || !only || !isElement(only) || only.tagName !== 'div') return inner;
    if (only.attrs.some(hides)) return inner;
    inner = only;
  }
}

/** A formula in the TeX that it was made of, where the page tells. */
function formula(element: Element): PhrasingContent[] {
  const annotation = elementsIn(element, 'annotation').find(
    (each) => attribute(each, 'encoding') === 'application/x-tex',
  );
  const tex = annotation ? textOf(annotation) : attribute(element, 'alttext');
  if (tex === undefined) return [{ type: 'text', value: textOf(element) }];
  // Markdown has no node for it; dollar signs are what renderers know.
  return [{ type: 'html', value: `$${oneLine(tex)}$` }];
}

const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ');

function code(element: Element): BlockContent {
  const named = [element, ...elementsIn(element, 'code'), element.parentNode].filter(
    (each): each is Element => each !== null && isElement(each),
  );
  const lang = named.map(language).find(Boolean) ?? null;
  // One line feed at either end belongs to the tags.
  return { type: 'code', lang, value: textOf(element).replace(/\n$/, '') };
}

/** The language of code, by the class names that highlighters use. */
function language(element: Element): string | undefined {
  const classes = attribute(element, 'class') ?? '';
  const said = /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)(\S+)/.exec(classes)?.[1];
  return said ?? attribute(element, 'data-lang') ?? attribute(element, 'data-language');
}

/** The first element of an item that shows something, if nothing is written before it. */
function firstIn(element: Element): Element | undefined {
  for (const child of element.childNodes) {
    if (child.nodeName === '#text' && (child as { value: string }).value.trim() === '') continue;
    if (!isElement(child)) return undefined;
    if (child.tagName === 'input') return child;
    return child.tagName === 'p' || child.tagName === 'label' ? firstIn(child) : undefined;
  }
  return undefined;
}

/** Terms and descriptions, also when they stand in groups. */
const groups = (element: Element): Element[] =>
  element.childNodes
    .filter(isElement)
    .flatMap((child) => (child.tagName === 'div' ? groups(child) : [child]))
    .filter(({ tagName }) => tagName === 'dt' || tagName === 'dd');

const rowsOf = (element: Element): Element[] =>
  element.childNodes.filter(isElement).flatMap((child) => {
    if (child.tagName === 'tr') return [child];
    return ['thead', 'tbody', 'tfoot'].includes(child.tagName) ? rowsOf(child) : [];
  });

const cellsOf = (row: Element) =>
  row.childNodes.filter(isElement).filter(({ tagName }) => tagName === 'td' || tagName === 'th');

/** Columns that a cell takes (HTML, 4.9.11 has at most 1000). */
const span = (cell: Element) => {
  const said = Number(attribute(cell, 'colspan') ?? 1);
  return Number.isInteger(said) && said > 0 ? Math.min(said, 1000) : 1;
};

/** The cells of a row, with nothing where one reaches into further columns. */
const widened = (cells: Element[]): (Element | undefined)[] =>
  cells.flatMap((cell) => [cell, ...Array.from({ length: span(cell) - 1 }, () => undefined)]);

function alignment(cell: Element): 'left' | 'right' | 'center' | null {
  const style = /text-align\s*:\s*(\w+)/i.exec(attribute(cell, 'style') ?? '')?.[1];
  const said = (attribute(cell, 'align') ?? style ?? '').toLowerCase();
  return said === 'left' || said === 'right' || said === 'center' ? said : null;
}
