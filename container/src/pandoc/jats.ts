import { mapNodes, noAttributes, type Document, type Node } from './ast.ts';

type Attributes = [id: string, classes: string[], others: [string, string][]];

/**
 * Changes a document so that its JATS is valid. Without that pandoc writes nested paragraphs for divs,
 * duplicate identifiers, and links to identifiers that do not exist.
 */
export function forJats(document: Document): Document {
  const { abstract, ...meta } = document.meta;
  const known = new Set<string>();
  const unique = ([id, classes, others]: Attributes): Attributes => {
    if (known.has(id)) return ['', classes, others];
    if (id) known.add(id);
    return [id, classes, others];
  };
  const blocks = mapNodes(document.blocks, (node) => {
    switch (node.t) {
      case 'Div':
        return (node.c as [Attributes, Node[]])[1];
      case 'Header': {
        const [level, attributes, inlines] = node.c as [number, Attributes, Node[]];
        return [{ t: 'Header', c: [level, unique(attributes), inlines] }];
      }
      case 'Span':
      case 'Image':
      case 'CodeBlock':
      case 'Figure': {
        const [attributes, ...rest] = node.c as [Attributes, ...unknown[]];
        return [{ t: node.t, c: [unique(attributes), ...rest] }];
      }
      // JATS has no attribute for the language of inline code.
      case 'Code':
        return [{ t: 'Code', c: [noAttributes, (node.c as [unknown, string])[1]] }];
      case 'BulletList':
        return [{ t: 'BulletList', c: (node.c as Node[][]).map(filled) }];
      case 'OrderedList': {
        const [counting, items] = node.c as [unknown, Node[][]];
        return [{ t: 'OrderedList', c: [counting, items.map(filled)] }];
      }
      case 'Table':
        return [withBody(node)];
      default:
        return [node];
    }
  });
  return {
    ...document,
    meta: { ...meta, ...(abstract && { abstract: inBlocks(abstract) }) },
    blocks: mapNodes(blocks, (node) => withTarget(node, known)),
  };
}

/** Adds an empty text to an empty list item, because JATS does not allow empty items. */
const filled = (item: Node[]): Node[] =>
  item.length > 0 ? item : [{ t: 'Plain', c: [{ t: 'Str', c: '' }] }];

/** Moves the header rows of a table without body rows to its body, because JATS requires a body. */
function withBody(table: Node): Node {
  const [attributes, caption, columns, head, bodies, foot] = table.c as [
    unknown,
    unknown,
    unknown,
    [Attributes, unknown[]],
    [Attributes, number, unknown[], unknown[]][],
    unknown,
  ];
  if (bodies.some(([, , inner, rows]) => inner.length + rows.length > 0)) return table;
  const all = [[noAttributes, 0, [], head[1]]];
  return { t: 'Table', c: [attributes, caption, columns, [noAttributes, []], all, foot] };
}

/** Replaces a link to an identifier that does not exist by the text of the link. */
function withTarget(node: Node, known: Set<string>): Node[] {
  if (node.t !== 'Link') return [node];
  const [, inlines, [url]] = node.c as [Attributes, Node[], [string, string]];
  return url.startsWith('#') && !known.has(url.slice(1)) ? inlines : [node];
}

const inBlocks = (abstract: Node): Node =>
  abstract.t === 'MetaInlines' ? { t: 'MetaBlocks', c: [{ t: 'Para', c: abstract.c }] } : abstract;
