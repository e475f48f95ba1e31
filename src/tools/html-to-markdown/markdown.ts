import type { Definition, Html, Image, Link, Parents, Root, Text } from 'mdast';
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemToMarkdown } from 'mdast-util-gfm-task-list-item';
import { settle } from './emphasis.ts';
import {
  defaultHandlers,
  toMarkdown,
  type Info,
  type Options,
  type State,
  type Tracker,
} from 'mdast-util-to-markdown';

const options = {
  bullet: '-',
  rule: '-',
  fences: true,
  listItemIndent: 'one',
  handlers: {
    root,
    text,
    html,
    link: addressed('link'),
    image: addressed('image'),
  },
  extensions: [
    gfmTableToMarkdown({ tablePipeAlign: false }),
    gfmStrikethroughToMarkdown(),
    gfmTaskListItemToMarkdown(),
  ],
} satisfies Options;

/** How links are written: with their addresses beside their texts, or below all, or without. */
export type Links = 'inline' | 'references' | 'none';

/** A tree as CommonMark with the tables, task lists and strikethrough of GFM. */
export function print(tree: Root, links: Links = 'inline'): string {
  settle(tree);
  if (links !== 'references') return toMarkdown(tree, options);
  const definitions: Definition[] = [];
  const handlers = { ...options.handlers, text: escaped, link: referenced(definitions) };
  const markdown = toMarkdown(tree, { ...options, handlers });
  const root: Root = { type: 'root', children: definitions };
  const list = toMarkdown(root, { ...options, tightDefinitions: true });
  return definitions.length > 0 ? `${markdown}\n${list}` : markdown;
}

/** Links by number. Brackets in text are all escaped then, since any number in them may be a link. */
function referenced(definitions: Definition[]) {
  const numbers = new Map<string, string>();
  const inline = addressed('link');
  const handler = (node: Link, parent: Parents | undefined, state: State, info: Info): string => {
    const whole = inline(node, parent, state, info);
    // An address that is its own text.
    if (whole.startsWith('<')) return whole;
    const { url, title } = node;
    const key = JSON.stringify([url, title]);
    const label = numbers.get(key) ?? String(numbers.size + 1);
    if (!numbers.has(key))
      definitions.push({ type: 'definition', identifier: label, label, url, title: title ?? null });
    numbers.set(key, label);
    const exits = [state.enter('link'), state.enter('label')];
    const text = state.containerPhrasing(node, { ...info, before: '[', after: ']' });
    for (const exit of exits.toReversed()) exit();
    return `[${text}][${label}]`;
  };
  return Object.assign(handler, { peek: inline.peek });
}

/** What an ampersand begins where it is not one: a character reference (CommonMark, 2.5). */
const reference = '(?:#\\d{1,7}|#[Xx][\\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z\\d]*);';

/** The library escapes each `&` before a letter, as in `?a=1&b=2`, though few begin a reference. */
function root(node: Root, parent: Parents | undefined, state: State, info: Info): string {
  state.unsafe = state.unsafe.map((each) =>
    each.character === '&' ? { ...each, after: reference } : each,
  );
  state.createTracker = () => untracked;
  quicken(state);
  return defaultHandlers.root(node, parent, state, info);
}

/** No handler asks for the line and column that the library counts. */
const untracked: Tracker = {
  move: (value) => value ?? '',
  current: () => ({ now: { line: 1, column: 1 }, lineShift: 0 }),
  shift() {},
};

/** The library tries each of its forty rules on each text; most are for characters that are not in it. */
function quicken(state: State): void {
  const { safe } = state;
  state.safe = (value, config) => {
    const { unsafe } = state;
    const whole = `${config.before ?? ''}${value ?? ''}${config.after ?? ''}`;
    state.unsafe = unsafe.filter(({ character }) => whole.includes(character));
    const written = safe.call(state, value, config);
    state.unsafe = unsafe;
    return written;
  };
}

/** The library escapes each parenthesis in an address, though those in pairs end nothing. */
function addressed(type: 'link' | 'image') {
  const handler = (
    node: Link | Image,
    parent: Parents | undefined,
    state: State,
    info: Info,
  ): string => {
    const before = state.unsafe;
    if (isBalanced(node.url)) {
      state.unsafe = before.filter(({ inConstruct }) => inConstruct !== 'destinationRaw');
    }
    const written = defaultHandlers[type](node as never, parent, state, info);
    state.unsafe = before;
    return written;
  };
  return Object.assign(handler, defaultHandlers[type]);
}

/** Whether the parentheses of an address are in pairs, and not too deep for some parsers. */
function isBalanced(address: string): boolean {
  let open = 0;
  for (const [parenthesis] of address.matchAll(/[()]/g)) {
    open += parenthesis === '(' ? 1 : -1;
    if (open < 0 || open > 3) return false;
  }
  return open === 0;
}

/** Formulas are written as HTML is. A bar in one would end its cell. */
function html({ value }: Html, _parent: unknown, state: State): string {
  if (!state.stack.includes('tableCell')) return value;
  return value.replace(/\\?\|/g, (bar) => (bar === '|' ? '\\|' : '\\Vert '));
}

/** Texts in which nothing means anything in Markdown, wherever they stand. */
const plain = /^[\p{L}\p{Z}(“„«"',;][^\\`*_[\]<>&~|!\n\r]*(?<!#)$/u;

/**
 * A text with as few escapes as it needs: the library escapes asterisks between spaces, and brackets
 * that begin no link, neither of which mean anything.
 */
function text(node: Text, parent: unknown, state: State, info: Info): string {
  const safe = escaped(node, parent, state, info);
  if (!safe.includes('\\')) return safe;
  return safe
    .replace(/([^\s] )\\\*(?= [^\s])/g, '$1*')
    .replace(/\\\[(?![ xX]?\])([^\\[\]\n]*\])(?![([:])/g, '[$1');
}

/** Most texts need no escape. */
function escaped(node: Text, _parent: unknown, state: State, info: Info): string {
  return plain.test(node.value) ? node.value : state.safe(node.value, info);
}
