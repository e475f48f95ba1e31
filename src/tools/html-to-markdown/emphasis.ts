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
    node.children = settled(node.children, ' ', ' ');
  } else {
    for (const child of node.children) settle(child);
  }
}

const isContainer = (node: PhrasingContent): node is Container => 'children' in node;
const isEmphasis = (node: PhrasingContent | undefined): node is Emphasis =>
  node?.type === 'emphasis' || node?.type === 'strong' || node?.type === 'delete';

/** @param before the character before the line @param after the one after it */
function settled(line: PhrasingContent[], before: string, after: string): PhrasingContent[] {
  if (!line.some(isContainer)) return line;
  const done: PhrasingContent[] = [];
  const waiting = line.toReversed();
  for (let node; (node = waiting.pop());) {
    if (!isContainer(node)) {
      join(done, node);
      continue;
    }
    const [left, right] = [lastOf(done.at(-1)) ?? before, firstOf(waiting.at(-1)) ?? after];
    if (isEmphasis(node)) node.children = settled(node.children, '*', '*') as never;
    else node.children = settled(node.children, '[', ']') as never;
    const children: PhrasingContent[] = node.children;
    if (isEmphasis(node) && !canStand(node, done.at(-1), left, right)) {
      for (const child of children.toReversed()) waiting.push(child);
    } else {
      done.push(node);
    }
  }
  return done;
}

function join(line: PhrasingContent[], node: PhrasingContent): void {
  const last = line.at(-1);
  if (node.type === 'text' && last?.type === 'text') last.value += node.value;
  else line.push(node);
}

/** Whether the marks of an emphasis are read as such between two characters (CommonMark, 6.2). */
function canStand(
  { children }: Emphasis,
  previous: PhrasingContent | undefined,
  left: string,
  right: string,
): boolean {
  const [first, last] = [firstOf(children[0]), lastOf(children.at(-1))];
  if (first === undefined || last === undefined || isSpace(first) || isSpace(last)) return false;
  if (isLetter(left) && !isLetter(first)) return false;
  if (isLetter(right) && !isLetter(last)) return false;
  // Right after another emphasis its marks are underscores, which no letter may follow.
  return !(isEmphasis(previous) && isLetter(right));
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
