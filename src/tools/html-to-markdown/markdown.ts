import type { Root, Text } from 'mdast';
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemToMarkdown } from 'mdast-util-gfm-task-list-item';
import { toMarkdown, type Info, type Options, type State } from 'mdast-util-to-markdown';

const options: Options = {
  bullet: '-',
  rule: '-',
  fences: true,
  listItemIndent: 'one',
  handlers: { text },
  extensions: [
    gfmTableToMarkdown({ tablePipeAlign: false }),
    gfmStrikethroughToMarkdown(),
    gfmTaskListItemToMarkdown(),
  ],
};

/** Serializes a Markdown tree as CommonMark with the tables, task lists and strikethrough of GFM. */
export const print = (tree: Root): string => toMarkdown(tree, options);

/** Matches texts without any Markdown syntax. */
const plain = /^[\p{L}\p{Z}(“„«"',;][^\\`*_[\]<>&~|!\n\r]*$/u;

/**
 * Serializes a text with as few escapes as possible. The library would also escape asterisks between spaces
 * and brackets that begin no link, which have no meaning. It would try forty rules on each text, which took
 * half of the time of a page. Most texts need no escapes.
 */
function text(node: Text, _parent: unknown, state: State, info: Info): string {
  if (plain.test(node.value)) return node.value;
  const safe = state.safe(node.value, info);
  if (!safe.includes('\\')) return safe;
  return safe
    .replace(/([^\s] )\\\*(?= [^\s])/g, '$1*')
    .replace(/\\\[(?![ xX]?\])([^\\[\]\n]*\])(?![([:])/g, '[$1');
}
