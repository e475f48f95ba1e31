/** The number of values of each type in a document, and its depth. */
export interface TreeCounts {
  root_type: string;
  objects: number;
  arrays: number;
  keys: number;
  strings: number;
  numbers: number;
  booleans: number;
  nulls: number;
  depth: number;
}

export const typeOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Map) return 'object';
  if (value instanceof Date) return 'datetime';
  if (typeof value === 'bigint') return 'number';
  return typeof value;
};

/** Access to the values of a document, which parsers represent differently. */
export interface Kept {
  /** Returns the type of a value; undefined for a value that is not counted. */
  typeOf(value: unknown): string | undefined;
  /** Returns the values in an object or an array. */
  childrenOf(value: object): unknown[];
}

const plain: Kept = { typeOf, childrenOf };

/**
 * Counts the values of a document, without recursion because it may be nested a hundred thousand levels deep.
 *
 * @param root the root of a tree without cycles; a value that is reached twice counts twice
 */
export function countTree(root: unknown, kept = plain): TreeCounts {
  const counts = { object: 0, array: 0, string: 0, number: 0, boolean: 0, null: 0, datetime: 0 };
  let keys = 0;
  let depth = 0;
  const open: [value: unknown, depth: number][] = [[root, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, level] = next;
    const type = kept.typeOf(value) as keyof typeof counts | undefined;
    if (type === undefined) continue;
    counts[type] += 1;
    if (type !== 'object' && type !== 'array') continue;
    depth = Math.max(depth, level + 1);
    const inner = kept.childrenOf(value as object);
    if (type === 'object') keys += inner.length;
    for (const child of inner) open.push([child, level + 1]);
  }
  const { object: objects, array: arrays, string, number, boolean, null: nulls, datetime } = counts;
  return {
    root_type: kept.typeOf(root) ?? 'null',
    objects,
    arrays,
    keys,
    strings: string,
    numbers: number,
    booleans: boolean,
    nulls,
    ...(datetime > 0 && { datetimes: datetime }),
    depth,
  };
}

function childrenOf(value: object): unknown[] {
  if (Array.isArray(value)) return value;
  return value instanceof Map ? [...value.values()] : Object.values(value);
}

/** Describes a value: "an object with 3 keys", "an array of 2 items", "a string". */
export function inWords(root: unknown, kept = plain): string {
  const type = kept.typeOf(root) ?? 'null';
  if (type !== 'object' && type !== 'array') return type === 'null' ? 'null' : `a ${type}`;
  const size = kept.childrenOf(root as object).length;
  return type === 'object'
    ? `an object with ${size} ${size === 1 ? 'key' : 'keys'}`
    : `an array of ${size} ${size === 1 ? 'item' : 'items'}`;
}
