import type { Nodes, Root } from 'mdast';

/** Leaves as much of the beginning of a tree as fits: whole blocks, then whole words of the next. */
export function shorten(tree: Root, fits: () => boolean): void {
  cut(tree, fits);
}

/** Cuts a node that is in the tree. Returns whether anything of it is left. */
function cut(node: Nodes, fits: () => boolean): boolean {
  if ('children' in node) return cutChildren(node, fits);
  if (node.type !== 'text' && node.type !== 'code') return false;
  const parts = node.value.split(node.type === 'code' ? /(?<=\n)/ : /(?<=\s)/);
  const keep = (count: number) => {
    node.value = parts.slice(0, count).join('').trimEnd();
    return fits();
  };
  const count = most(parts.length, keep);
  keep(count);
  return count > 0;
}

function cutChildren(node: Extract<Nodes, { children: unknown[] }>, fits: () => boolean): boolean {
  const all = node.children as Nodes[];
  const keep = (count: number) => {
    node.children = all.slice(0, count) as never;
    return fits();
  };
  const whole = most(all.length, keep);
  keep(whole + 1);
  const next = all[whole];
  if (next && !cut(next, fits)) keep(whole);
  return node.children.length > 0;
}

/** The largest number, up to `end`, for which a test holds that holds for all smaller ones. */
function most(end: number, test: (count: number) => boolean): number {
  let [good, bad] = [0, end + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (test(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
