import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NodeCompiler, type NodeError } from '@myriaddreamin/typst-ts-node-compiler';
import { fileTypeFromBuffer } from 'file-type';
import type { Files } from '../pandoc/engine.ts';

/** Beside what the compiler has itself: Latin, Greek, Cyrillic, mathematics and code. */
const fonts = [
  ['@embedpdf/fonts-arabic', '../fonts/NotoNaskhArabic-Regular.ttf'],
  ['@embedpdf/fonts-arabic', '../fonts/NotoNaskhArabic-Bold.ttf'],
  ['@embedpdf/fonts-hebrew', '../fonts/NotoSansHebrew-Regular.ttf'],
  ['@embedpdf/fonts-hebrew', '../fonts/NotoSansHebrew-Bold.ttf'],
  ['@embedpdf/fonts-sc', '../fonts/NotoSansHans-Regular.otf'],
  ['@embedpdf/fonts-sc', '../fonts/NotoSansHans-Bold.otf'],
  ['@embedpdf/fonts-jp', '../fonts/NotoSansJP-Regular.otf'],
  ['@embedpdf/fonts-jp', '../fonts/NotoSansJP-Bold.otf'],
  ['@embedpdf/fonts-kr', '../fonts/NotoSansKR-Regular.otf'],
  ['@embedpdf/fonts-kr', '../fonts/NotoSansKR-Bold.otf'],
  ['@expo-google-fonts/noto-emoji', './400Regular/NotoEmoji_400Regular.ttf'],
] as const;
const readFont = ([name, path]: (typeof fonts)[number]) =>
  readFileSync(fileURLToPath(new URL(path, import.meta.resolve(name)).href));

// An empty folder: Typst reads files below it and nowhere else, and the pictures are only said to be there.
const folder = mkdtempSync(join(tmpdir(), 'typst-'));

let compiler: NodeCompiler | undefined;

/** What is wrong with a document, in Typst's words. */
export class TypstError extends Error {}

export interface Pdf {
  bytes: Uint8Array;
  warnings: string[];
}

/**
 * Sets pandoc's Typst as PDF. A picture that Typst cannot show is left out, with a warning.
 *
 * @param pictures by the path that the source names
 * Throws TypstError.
 */
export async function writePdf(source: string, pictures: Files): Promise<Pdf> {
  compiler ??= NodeCompiler.create({
    workspace: folder,
    fontArgs: [{ fontBlobs: fonts.map(readFont) }],
  });
  const warnings: string[] = [];
  // An address that is empty is an error to Typst.
  let main = source.replaceAll('FALLBACKS', fallbacks(source)).replaceAll('#link("")[', '#text[');
  try {
    for (const [path, bytes] of Object.entries(pictures)) {
      if (!source.includes(`image("${path}"`)) continue;
      let name = `${path}.${await extensionOf(bytes)}`;
      compiler.mapShadow(join(folder, name), Buffer.from(bytes));
      if (!shows(compiler, name)) {
        warnings.push(`${path} is no picture that a PDF can show; it is left out`);
        name = `${path}.empty.svg`;
        compiler.mapShadow(join(folder, name), Buffer.from(nothing));
      }
      main = main.replaceAll(`image("${path}"`, `image("${name}"`);
    }
    return { bytes: compile(compiler, main), warnings };
  } finally {
    compiler.resetShadow();
    compiler.evictCache(0);
  }
}

/** Whether Typst can show a picture; it does not say which one of a document it cannot. */
function shows(compiler: NodeCompiler, name: string): boolean {
  return compiler.compile({ mainFileContent: `#image(${JSON.stringify(name)})` }).result !== null;
}

function compile(compiler: NodeCompiler, main: string): Uint8Array {
  const compiled = compiler.compile({ mainFileContent: main });
  if (!compiled.result) throw new TypstError(reasonOf(compiled.takeError()));
  return compiler.pdf(compiled.result);
}

/** Without the places of our own files. */
function reasonOf(error: NodeError | null): string {
  const [first] = (error?.shortDiagnostics ?? []) as { message: string }[];
  const message = first?.message ?? 'no reason given';
  return `Typst cannot set the document: ${message.replaceAll(folder, '')}`;
}

/**
 * Fonts for what the first lacks. Chinese, Japanese and Korean share characters and draw them each in
 * their own way: a text with kana is Japanese, one with hangul Korean.
 */
function fallbacks(source: string): string {
  const chinese = 'Noto Sans S Chinese';
  const [japanese, korean] = ['Noto Sans Japanese', 'Noto Sans Korean'];
  const first = /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(source)
    ? [japanese, chinese, korean]
    : /\p{sc=Hangul}/u.test(source)
      ? [korean, chinese, japanese]
      : [chinese, japanese, korean];
  return ['Noto Naskh Arabic', 'Noto Sans Hebrew', ...first, 'Noto Emoji']
    .map((name) => JSON.stringify(name))
    .join(', ');
}

const nothing = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

/** The extension by which Typst knows a picture, whatever its name says. */
async function extensionOf(bytes: Uint8Array): Promise<string> {
  const kind = (await fileTypeFromBuffer(bytes))?.ext ?? '';
  return ['png', 'jpg', 'gif', 'webp', 'pdf'].includes(kind) ? kind : 'svg';
}
