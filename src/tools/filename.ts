/** A file's name without folders and extension, at most 100 characters: R2's keys have an end. */
export function stem(filename: string | undefined, standard: string): string {
  const name = (filename ?? '').replace(/\p{C}/gu, '').split(/[/\\]/).at(-1)!;
  return [...name.replace(/\.[^.]*$/, '')].slice(0, 100).join('') || standard;
}
