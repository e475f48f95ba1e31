/** Languages by their canonical names, and what Prettier needs to know to treat a text as one. */
export const languages = {
  javascript: { file: 'file.js', extensions: ['js', 'mjs', 'cjs'] },
  typescript: { file: 'file.ts', extensions: ['ts', 'mts', 'cts'] },
  jsx: { file: 'file.jsx', extensions: ['jsx'] },
  tsx: { file: 'file.tsx', extensions: ['tsx'] },
  json: { file: 'file.json', extensions: ['json'] },
  css: { file: 'file.css', extensions: ['css'] },
  go: { file: 'file.go', extensions: ['go'] },
} as const;

export type Language = keyof typeof languages;

export const aliases: Record<string, Language> = { js: 'javascript', ts: 'typescript' };

/** The language of a file by its extension. */
export function languageOfFile(name: string): Language | undefined {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const known = Object.entries(languages).find(([, { extensions }]) =>
    (extensions as readonly string[]).includes(extension),
  );
  return known?.[0] as Language | undefined;
}
