import type { Nodes, Root } from 'mdast';
import { placed } from './tree.ts';

/** Returns the longest beginning of a tree that fits, of at most a number of words. */
export function shorten(tree: Root, mostWords: number, fits: (beginning: Root) => boolean): Root {
  let [good, bad] = [0, mostWords + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (fits(beginning(tree, middle))) good = middle;
    else bad = middle;
  }
  return beginning(tree, good);
}

/** A tree with its first words; a line of code is one, and so is a picture. */
function beginning(tree: Root, words: number): Root {
  let left = words;
  const take = (node: Nodes): Nodes | undefined => {
    if (left <= 0) return undefined;
    if ('children' in node) {
      const children: Nodes[] = [];
      for (const child of node.children) {
        const taken = take(child);
        if (!taken) break;
        children.push(taken);
      }
      if (children.length === 0 && node.children.length > 0) return undefined;
      const isOrdered = node.type === 'list' && node.ordered;
      return { ...node, children: isOrdered ? placed(children) : children } as Nodes;
    }
    if (node.type !== 'text' && node.type !== 'code') {
      left -= 1;
      return node;
    }
    const parts = node.value.split(node.type === 'code' ? /(?<=\n)/ : /(?<=\s)/, left + 1);
    left -= parts.length;
    return left >= 0 ? node : { ...node, value: parts.slice(0, -1).join('').trimEnd() };
  };
  return (take(tree) as Root | undefined) ?? { type: 'root', children: [] };
}
