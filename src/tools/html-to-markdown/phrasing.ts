import type { Link, PhrasingContent, Text } from 'mdast';

/** Inline nodes with children. */
type Container = Extract<PhrasingContent, { children: PhrasingContent[] }>;
const isContainer = (node: PhrasingContent): node is Container => 'children' in node;

/** Where one is in a line: at its start, after a space or there, and in how many containers. */
interface Place {
  atStart: boolean;
  afterSpace: boolean;
  depth: number;
}

/** Largest number of nested emphases. Each further one would double the time of the serializer. */
const maxDepth = 8;

/**
 * Collapses the white space of a line as browsers do (CSS Text, 4.1), and removes it at both ends. Spaces at
 * the edges of an emphasis or a link are moved out of it, because Markdown allows none there.
 */
export function tidy(nodes: PhrasingContent[]): PhrasingContent[] {
  const line = collapsed(nodes, { atStart: true, afterSpace: true, depth: 0 });
  for (let last; (last = line.at(-1));) {
    if (last.type === 'text' && last.value.endsWith(' ')) last.value = last.value.slice(0, -1);
    if (last.type !== 'break' && !(last.type === 'text' && last.value === '')) break;
    line.pop();
  }
  return line;
}

function collapsed(nodes: PhrasingContent[], place: Place): PhrasingContent[] {
  const line: PhrasingContent[] = [];
  for (const node of nodes) {
    if (node.type === 'text') {
      addText(line, spaced(node.value, place));
    } else if (node.type === 'break') {
      const last = line.at(-1);
      if (last?.type === 'text') last.value = last.value.replace(/ $/, '');
      if (!place.atStart) line.push(node);
      place.afterSpace = true;
    } else if (isContainer(node)) {
      addContainer(line, node, place);
    } else {
      place.afterSpace = false;
      place.atStart = false;
      const last = line.at(-1);
      // Two pieces of code in a row are one, too.
      if (node.type === 'inlineCode' && last?.type === 'inlineCode') last.value += node.value;
      else line.push(node);
    }
  }
  return line;
}

function spaced(text: string, place: Place): string {
  const value = text.replace(/[ \t\n\f\r]+/g, ' ');
  const kept = place.afterSpace && value.startsWith(' ') ? value.slice(1) : value;
  if (kept === '') return kept;
  place.afterSpace = kept.endsWith(' ');
  place.atStart = false;
  return kept;
}

function addText(line: PhrasingContent[], value: string): void {
  const last = line.at(-1);
  if (value === '') return;
  if (last?.type === 'text') last.value += value;
  else line.push({ type: 'text', value });
}

function addContainer(line: PhrasingContent[], node: Container, place: Place): void {
  place.depth += 1;
  const children = collapsed(node.children, place);
  place.depth -= 1;
  const [before, inner, after] = cut(children);
  for (const each of before) addEdge(line, each);
  const last = line.at(-1);
  if (inner.length === 0 && node.type !== 'link') {
    // A space is not written twice.
    if (before.length === 0) for (const each of after) addEdge(line, each);
    return;
  }
  if (place.depth >= maxDepth && node.type !== 'link') {
    for (const child of inner) line.push(child);
  } else if (last && last.type === node.type && last.type !== 'link') {
    // Adjacent emphases are joined, because their delimiters would be read as one.
    for (const child of inner) (last as Container).children.push(child as never);
  } else {
    line.push({ ...node, children: inner as Link['children'] });
  }
  if (inner.length === 0) {
    place.afterSpace = false;
    place.atStart = false;
  }
  for (const each of after) addEdge(line, each);
}

function addEdge(line: PhrasingContent[], node: PhrasingContent): void {
  if (node.type === 'text') addText(line, node.value);
  else line.push(node);
}

/** The spaces and line breaks at the edges of a line, and what is between. */
function cut(line: PhrasingContent[]): [PhrasingContent[], PhrasingContent[], PhrasingContent[]] {
  const [before, after]: [PhrasingContent[], PhrasingContent[]] = [[], []];
  let [from, to] = [0, line.length];
  for (; from < to; from++) {
    const node = line[from]!;
    if (node.type !== 'break' && !(node.type === 'text' && takeSpace(node, /^\s+/, before))) break;
    if (node.type === 'break') before.push(node);
  }
  for (; to > from; to--) {
    const node = line[to - 1]!;
    if (node.type !== 'break' && !(node.type === 'text' && takeSpace(node, /(?<!\s)\s+$/, after)))
      break;
    if (node.type === 'break') after.push(node);
  }
  return [before, line.slice(from, to), after.toReversed()];
}

/** Takes the spaces off an end of a text. Returns whether nothing is left. */
function takeSpace(node: Text, space: RegExp, to: PhrasingContent[]): boolean {
  const [value] = space.exec(node.value) ?? [];
  if (value !== undefined) to.push({ type: 'text', value });
  node.value = node.value.replace(space, '');
  return node.value === '';
}
