import { globSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { decompress } from 'wawoff2';

/** The font files that are used of a package, by the beginning of its name: the regular and the bold weight. */
const files = {
  '@embedpdf/fonts-': 'fonts/*-{Regular,Bold}.{ttf,otf}',
  '@expo-google-fonts/': '{400Regular,700Bold}/*.ttf',
  '@fontsource/': 'files/*-{400,700}-normal.woff2',
};

/** Reads the fonts of every font package among the dependencies of the converter. */
export async function loadFonts(): Promise<Buffer[]> {
  const own = findPackageJSON('..', import.meta.url)!;
  const { dependencies } = JSON.parse(readFileSync(own, 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const paths = Object.keys(dependencies).flatMap((name) => {
    const pattern = Object.entries(files).find(([prefix]) => name.startsWith(prefix))?.[1];
    if (!pattern) return [];
    const folder = dirname(findPackageJSON(name, import.meta.url)!);
    // These packages have one file for each script. Latin is in the compiler's own fonts.
    return globSync(pattern, { cwd: folder })
      .filter((path) => !path.includes('-latin-'))
      .map((path) => join(folder, path));
  });
  const fonts: Buffer[] = [];
  for (const path of paths.toSorted()) {
    const bytes = readFileSync(path);
    // The compiler cannot read WOFF2. One file is copied before the next, which overwrites it in memory.
    fonts.push(path.endsWith('.woff2') ? Buffer.from(await decompress(bytes)) : bytes);
  }
  return fonts;
}
