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

/** A Markdown tree as CommonMark with the tables, task lists and strikethrough of GFM. */
export const print = (tree: Root): string => toMarkdown(tree, options);

/** Texts in which nothing means anything in Markdown, wherever they stand. */
const plain = /^[\p{L}\p{Z}(“„«"',;][^\\`*_[\]<>&~|!\n\r]*$/u;

/**
 * A text with as few escapes as it needs: the library escapes asterisks between spaces, and brackets
 * that begin no link, neither of which mean anything. It tries each of its forty rules on each text,
 * which took half of the time of a page; most texts need none.
 */
function text(node: Text, _parent: unknown, state: State, info: Info): string {
  if (plain.test(node.value)) return node.value;
  const safe = state.safe(node.value, info);
  if (!safe.includes('\\')) return safe;
  return safe
    .replace(/([^\s] )\\\*(?= [^\s])/g, '$1*')
    .replace(/\\\[(?![ xX]?\])([^\\[\]\n]*\])(?![([:])/g, '[$1');
}
