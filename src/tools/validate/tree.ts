/** How many values of each kind a document holds, and how deep it goes. */
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

/** Counts without recursion: a document may be nested a hundred thousand levels deep. */
export function countTree(root: unknown): TreeCounts {
  const counts = { object: 0, array: 0, string: 0, number: 0, boolean: 0, null: 0, datetime: 0 };
  let keys = 0;
  let depth = 0;
  const open: [value: unknown, depth: number][] = [[root, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, level] = next;
    const type = typeOf(value) as keyof typeof counts;
    counts[type] += 1;
    if (type !== 'object' && type !== 'array') continue;
    depth = Math.max(depth, level + 1);
    const inner = childrenOf(value as object);
    if (type === 'object') keys += inner.length;
    for (const child of inner) open.push([child, level + 1]);
  }
  const { object: objects, array: arrays, string, number, boolean, null: nulls, datetime } = counts;
  return {
    root_type: typeOf(root),
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

/** "an object with 3 keys", "an array of 2 items", "a string". */
export function inWords(root: unknown): string {
  const type = typeOf(root);
  if (type !== 'object' && type !== 'array') return type === 'null' ? 'null' : `a ${type}`;
  const size = childrenOf(root as object).length;
  return type === 'object'
    ? `an object with ${size} ${size === 1 ? 'key' : 'keys'}`
    : `an array of ${size} ${size === 1 ? 'item' : 'items'}`;
}
