import type { OutputFormat } from '../../../src/tools/convert-document/formats.ts';
import { mapNodes, type Document, type Node } from './ast.ts';
import { forJats } from './jats.ts';

/** Adapts a document to the writer of an output format. */
export function shapedFor(to: OutputFormat, document: Document): Document {
  switch (to) {
    case 'jats':
      return forJats(document);
    case 'markdown':
      return { ...document, blocks: mapNodes(document.blocks, (node) => [withoutWidths(node)]) };
    case 'pdf':
      return {
        ...document,
        meta: withNames(document.meta),
        blocks: mapNodes(document.blocks, withSmartQuotes),
      };
    default:
      return { ...document, meta: withNames(document.meta) };
  }
}

/** Leaves the form of quotation marks to Typst, which knows them for each language. Pandoc writes English ones. */
function withSmartQuotes(node: Node): Node[] {
  if (node.t !== 'Quoted') return [node];
  const [{ t }, inlines] = node.c as [Node, Node[]];
  const mark = `#smartquote(double: ${t === 'DoubleQuote'}, enabled: true);`;
  const quote = { t: 'RawInline', c: ['typst', mark] };
  return [quote, ...inlines, quote];
}

/** Removes the column widths of a table. With widths pandoc writes a grid table instead of a pipe table. */
function withoutWidths(node: Node): Node {
  if (node.t !== 'Table') return node;
  const [attributes, caption, columns, ...rest] = node.c as [unknown, unknown, [Node, Node][]];
  const free = columns.map(([alignment]) => [alignment, { t: 'ColWidthDefault' }]);
  return { t: 'Table', c: [attributes, caption, free, ...rest] };
}

/** Reduces authors with several fields to their names. Only JATS has the other fields. */
function withNames(meta: Document['meta']): Document['meta'] {
  const { author } = meta;
  if (author?.t !== 'MetaList') return meta;
  const names = (author.c as Node[]).map((one) => {
    const fields = one.t === 'MetaMap' ? (one.c as Record<string, Node>) : {};
    return fields.name ?? fields.literal ?? one;
  });
  return { ...meta, author: { t: 'MetaList', c: names } };
}
