import { invalidInput } from './errors.ts';

/**
 * Throws a 422 that names the place of a lone surrogate: half of a character, which no UTF-8 text can
 * hold. Walks without recursion: an input may be nested a hundred thousand levels deep.
 */
export function requireWellFormed(input: unknown): void {
  // Other Workers may hand in what leads back to itself.
  const seen = new Set<unknown>();
  const open: [path: string, value: unknown][] = [['', input]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, value] = next;
    if (typeof value === 'string' && !value.isWellFormed()) {
      throw invalidInput(path, 'has a lone surrogate, which no UTF-8 text can hold');
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
