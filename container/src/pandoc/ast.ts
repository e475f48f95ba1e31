/** A node of pandoc's JSON syntax tree: `t` is its type, `c` its content. */
export interface Node {
  t: string;
  c?: unknown;
}

export interface Document {
  'pandoc-api-version': number[];
  meta: Record<string, Node>;
  blocks: Node[];
}

export const noAttributes = ['', [], []];

/**
 * The version of pandoc's JSON that is written here. Pandoc accepts every version with the same first two
 * numbers.
 */
export const apiVersion = [1, 23, 1];

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 't' in value;

/**
 * Returns a copy in which every node is replaced by the nodes that `change` returns for it, inner nodes
 * first.
 */
export function mapNodes<T>(value: T, change: (node: Node) => Node[]): T {
  const map = (one: unknown): unknown => {
    if (Array.isArray(one))
      return one.flatMap((inner) => (isNode(inner) ? mapped(inner) : [map(inner)]));
    if (typeof one !== 'object' || one === null) return one;
    if (isNode(one)) return mapped(one)[0];
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, map(inner)]));
  };
  const mapped = (node: Node): Node[] => change('c' in node ? { ...node, c: map(node.c) } : node);
  return map(value) as T;
}
