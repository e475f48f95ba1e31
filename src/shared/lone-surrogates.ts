import { invalidInput } from '../errors.ts';

/**
 * Throws a 422 if any string of the input has a lone surrogate, which UTF-8 cannot encode. The error names the
 * path of the string. Not recursive, because an input may be nested a hundred thousand levels deep.
 */
export function requireWellFormed(input: unknown): void {
  // Input over RPC may be cyclic.
  const seen = new Set<unknown>();
  const open: [path: string, value: unknown][] = [['', input]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, value] = next;
    if (typeof value === 'string' && !value.isWellFormed()) {
      throw invalidInput(path, 'has a lone surrogate, which UTF-8 cannot encode');
    }
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    if (seen.has(value)) continue;
    seen.add(value);
    for (const [key, inner] of Object.entries(value)) {
      if (!key.isWellFormed()) throw invalidInput(path, 'has a key with a lone surrogate');
      open.push([path ? `${path}.${key}` : key, inner]);
    }
  }
}
