/** A piece of pandoc's document as its JSON has it: `t` names it, `c` is what is in it. */
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

/** The version whose shapes we write; pandoc reads every later one of the same beginning. */
export const apiVersion = [1, 23, 1];

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 't' in value;

/**
 * A copy in which every piece is what `change` makes of it, the inner ones first: itself, others, or
 * none.
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
