/**
 * Returns a file's name without folders and extension, cut to 100 characters because R2's keys are limited.
 */
export function stem(filename: string | undefined, standard: string): string {
  const name = (filename ?? '').replace(/\p{C}/gu, '').split(/[/\\]/).at(-1)!;
  return [...name.replace(/\.[^.]*$/, '')].slice(0, 100).join('') || standard;
}
