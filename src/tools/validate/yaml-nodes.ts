import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { typeOf, type Kept } from './tree.ts';

// These functions work on the nodes, which are a tree. The values may have cycles, because an alias may be
// inside of its own anchor. Resolving aliases by the library takes quadratic time.

/** Largest number of repetitions of an anchor's content, counting nested repetitions. */
const maxRepeats = 100;

/** Access to the nodes of a document for counting. Aliases are not counted, because their anchors are. */
export const asWritten: Kept = {
  typeOf(node) {
    if (isAlias(node)) return undefined;
    if (isMap(node)) return 'object';
    if (isSeq(node)) return 'array';
    return typeOf(isScalar(node) ? node.value : null);
  },
  childrenOf: (node) =>
    isCollection(node) ? node.items.map((item) => (isPair(item) ? item.value : item)) : [],
};

/** Yields nodes in document order. A collection is yielded again, with `done`, after its content. */
function* nodesOf(root: unknown): Generator<{ node: Node; done: boolean }> {
  const waiting = [{ node: root, done: false }];
  for (let next; (next = waiting.pop());) {
    const { node, done } = next;
    if (!isNode(node)) continue;
    yield { node, done };
    if (done || !isCollection(node)) continue;
    waiting.push({ node, done: true });
    for (const item of node.items.toReversed()) {
      const inner = isPair(item) ? [item.value, item.key] : [item];
      for (const each of inner) waiting.push({ node: each, done: false });
    }
  }
}

/** Returns the errors for aliases without an anchor before them, and for duplicate keys. */
export function wrongNodes(root: unknown): { message: string; offset: number }[] {
  const wrong: { message: string; offset: number }[] = [];
  const note = ({ range }: Node, message: string) => {
    wrong.push({ message, offset: range?.[0] ?? 0 });
  };
  const anchors = new Set<string>();
  for (const { node, done } of nodesOf(root)) {
    if (done) continue;
    if (isAlias(node)) {
      if (!anchors.has(node.source)) note(node, `alias *${node.source} has no anchor`);
    } else if (node.anchor) anchors.add(node.anchor);
    const key = isMap(node) && duplicateKey(node);
    if (key) note(key, `key ${String(key.value)} stands twice`);
  }
  return wrong;
}

/**
 * Returns the first duplicate scalar key of a mapping (YAML 1.2, section 3.2.1.1). Empty keys are ignored.
 */
function duplicateKey(map: YAMLMap): Scalar | undefined {
  const seen = new Set<unknown>();
  for (const { key } of map.items) {
    if (!isScalar(key) || key.value === null) continue;
    if (seen.has(key.value)) return key;
    seen.add(key.value);
  }
  return undefined;
}

/** The repetitions of a node in a document in which each alias is replaced by its node. */
interface Use {
  times: number;
  /** Largest number of repetitions of any content of the node; 1 for a scalar, 0 for an empty collection. */
  repeats: number;
}

/** Whether replacing each alias by its node would make a document too large ("billion laughs"). */
export function repeatsTooMuch(root: unknown): boolean {
  const anchors = new Map<string, Use>();
  const around: Use[] = [];
  const repeat = (times: number) => {
    const outer = around.at(-1);
    if (outer) outer.repeats = Math.max(outer.repeats, times);
  };
  for (const { node, done } of nodesOf(root)) {
    if (done) {
      repeat(around.pop()!.repeats);
    } else if (isAlias(node)) {
      const use = anchors.get(node.source)!;
      use.times += 1;
      if (use.times * use.repeats > maxRepeats) return true;
      repeat(use.times * use.repeats);
    } else {
      const use = { times: 1, repeats: isCollection(node) ? 0 : 1 };
      if (node.anchor) anchors.set(node.anchor, use);
      if (isCollection(node)) around.push(use);
      else repeat(1);
    }
  }
  return false;
}
