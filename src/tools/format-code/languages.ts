interface LanguageKind {
  /** For people. */
  label: string;
  /** A file name by which Prettier knows the language. */
  file: string;
  /** Names of the language in Prettier, which has them of GitHub's Linguist. */
  linguist: readonly string[];
}

/** Languages by their canonical names. */
export const languages = {
  javascript: { label: 'JavaScript', file: 'file.js', linguist: ['JavaScript'] },
  typescript: { label: 'TypeScript', file: 'file.ts', linguist: ['TypeScript'] },
  jsx: { label: 'JSX', file: 'file.jsx', linguist: ['JSX'] },
  tsx: { label: 'TSX', file: 'file.tsx', linguist: ['TSX'] },
  json: { label: 'JSON', file: 'file.json', linguist: ['JSON', 'JSON.stringify'] },
  jsonc: { label: 'JSON with comments', file: 'file.jsonc', linguist: ['JSON with Comments'] },
  json5: { label: 'JSON5', file: 'file.json5', linguist: ['JSON5'] },
  css: { label: 'CSS', file: 'file.css', linguist: ['CSS', 'PostCSS'] },
  scss: { label: 'SCSS', file: 'file.scss', linguist: ['SCSS'] },
  less: { label: 'Less', file: 'file.less', linguist: ['Less'] },
  graphql: { label: 'GraphQL', file: 'file.graphql', linguist: ['GraphQL'] },
  html: { label: 'HTML', file: 'file.html', linguist: ['HTML'] },
  vue: { label: 'Vue', file: 'file.vue', linguist: ['Vue'] },
  markdown: { label: 'Markdown', file: 'file.md', linguist: ['Markdown'] },
  go: { label: 'Go', file: 'file.go', linguist: [] },
} as const satisfies Record<string, LanguageKind>;

export type Language = keyof typeof languages;

export const aliases: Record<string, Language> = { js: 'javascript', ts: 'typescript' };
