import type { Nodes, PhrasingContent } from 'mdast';

type Container = Extract<PhrasingContent, { children: PhrasingContent[] }>;
type Emphasis = Extract<PhrasingContent, { type: 'emphasis' | 'strong' | 'delete' }>;

/**
 * Takes off the emphases that CommonMark has no marks for: those that end with punctuation beside a
 * letter, say. The writer would put character references in their place, in the midst of words.
 */
export function settle(node: Nodes): void {
  if (!('children' in node)) return;
  if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') {
    if (!node.children.some(isContainer)) return;
    node.children = merged(settled(node.children, { before: ' ', after: ' ', within: [] }));
  } else {
    for (const child of node.children) settle(child);
  }
}

const isContainer = (node: PhrasingContent): node is Container => 'children' in node;
const isEmphasis = (node: PhrasingContent | undefined): node is Emphasis =>
  node?.type === 'emphasis' || node?.type === 'strong' || node?.type === 'delete';

/** What is beside a line, and which emphases it is in. */
interface Place {
  before: string;
  after: string;
  within: Emphasis['type'][];
}

function settled(line: PhrasingContent[], place: Place): PhrasingContent[] {
  if (!line.some(isContainer)) return line;
  const done: PhrasingContent[] = [];
  const known = new Set<Container>();
  const waiting = line.toReversed();
  for (let node; (node = waiting.pop());) {
    if (!isContainer(node)) {
      done.push(node);
      continue;
    }
    const last = done.at(-1);
    if (isEmphasis(last) && last.type === node.type) {
      // Those taken off have brought two of a kind together, whose marks would run together.
      for (const child of node.children) last.children.push(child);
      done.pop();
      waiting.push(last);
      continue;
    }
    const inside = isEmphasis(node)
      ? { before: '*', after: '*', within: [...place.within, node.type] }
      : { before: '[', after: ']', within: place.within };
    if (!known.has(node)) node.children = settled(node.children, inside) as never;
    known.add(node);
    const neighbours = [done.at(-1), waiting.at(-1)] as const;
    if (isEmphasis(node) && !canStand(node, neighbours, place)) {
      for (const child of node.children.toReversed()) waiting.push(child);
      // Something else may be beside the one before it now.
      if (isEmphasis(done.at(-1))) waiting.push(done.pop()!);
    } else {
      done.push(node);
    }
  }
  return done;
}

/** Texts and pieces of code in a row as one. */
function merged(line: PhrasingContent[]): PhrasingContent[] {
  const done: PhrasingContent[] = [];
  for (const node of line) {
    const last = done.at(-1);
    if (isContainer(node)) node.children = merged(node.children) as never;
    if (node.type === 'text' && last?.type === 'text') last.value += node.value;
    else if (node.type === 'inlineCode' && last?.type === 'inlineCode') last.value += node.value;
    else done.push(node);
  }
  return done;
}

/** Whether the marks of an emphasis are read as such between its neighbours (CommonMark, 6.2). */
function canStand(
  { type, children }: Emphasis,
  [previous, next]: readonly [PhrasingContent | undefined, PhrasingContent | undefined],
  place: Place,
): boolean {
  const [first, last] = [firstOf(children[0]), lastOf(children.at(-1))];
  if (first === undefined || last === undefined || isSpace(first) || isSpace(last)) return false;
  const [left, right] = [lastOf(previous) ?? place.before, firstOf(next) ?? place.after];
  if (isLetter(left) && !isLetter(first)) return false;
  if (isLetter(right) && !isLetter(last)) return false;
  // Beside other marks its own are underscores, which no letter may stand beside.
  const isAtEdge = place.within.length > 0 && (!previous || !next);
  const besideMarks = isEmphasis(previous) || isEmphasis(next) || isAtEdge;
  if (besideMarks && (isLetter(left) || isLetter(right))) return false;
  // In another of its kind it is read as such only if its marks can either begin or end one.
  if (!place.within.includes(type)) return true;
  return (
    type !== 'delete' && isLetter(first) && isLetter(last) && !isLetter(left) && !isLetter(right)
  );
}

const isSpace = (character: string) => /\s/.test(character);
const isLetter = (character: string) => !/[\s\p{P}\p{S}]/u.test(character);

const firstOf = (node: PhrasingContent | undefined) => {
  if (!node) return undefined;
  if (node.type === 'text' || node.type === 'html') return node.value.charAt(0);
  return node.type === 'break' ? '\\' : isEmphasis(node) ? '*' : '[';
};

const lastOf = (node: PhrasingContent | undefined) => {
  if (!node) return undefined;
  if (node.type === 'text' || node.type === 'html') return node.value.at(-1);
  return node.type === 'break' ? '\n' : isEmphasis(node) ? '*' : ')';
};
