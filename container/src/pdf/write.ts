import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NodeCompiler, type NodeError } from '@myriaddreamin/typst-ts-node-compiler';
import { fileTypeFromBuffer } from 'file-type';
import type { Files } from '../pandoc/engine.ts';

/** Fonts in addition to the compiler's own, which cover Latin, Greek, Cyrillic, mathematics and code. */
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

// An empty folder, outside of which Typst reads no files. Pictures are shadow files in it, held in memory.
const folder = mkdtempSync(join(tmpdir(), 'typst-'));

let compiler: NodeCompiler | undefined;

/** Typst cannot compile a document; the message is Typst's. */
export class TypstError extends Error {}

export interface Pdf {
  bytes: Uint8Array;
  warnings: string[];
}

/**
 * Compiles pandoc's Typst source to PDF. A picture that Typst cannot decode is left out, with a warning.
 * Throws TypstError.
 *
 * @param pictures the pictures by their path in the source
 */
export async function writePdf(source: string, pictures: Files): Promise<Pdf> {
  compiler ??= NodeCompiler.create({
    workspace: folder,
    fontArgs: [{ fontBlobs: fonts.map(readFont) }],
  });
  const warnings: string[] = [];
  // Typst fails on a link with an empty URL.
  let main = source.replaceAll('FALLBACKS', fallbacks(source)).replaceAll('#link("")[', '#text[');
  try {
    for (const [path, bytes] of Object.entries(pictures)) {
      if (!source.includes(`image("${path}"`)) continue;
      let name = `${path}.${await extensionOf(bytes)}`;
      compiler.mapShadow(join(folder, name), Buffer.from(bytes));
      if (!shows(compiler, name)) {
        warnings.push(`${path} is not in a picture format that a PDF supports; it is left out`);
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

/** Whether Typst can decode a picture. Each is tried alone, because Typst's errors do not name the picture. */
function shows(compiler: NodeCompiler, name: string): boolean {
  return compiler.compile({ mainFileContent: `#image(${JSON.stringify(name)})` }).result !== null;
}

function compile(compiler: NodeCompiler, main: string): Uint8Array {
  const compiled = compiler.compile({ mainFileContent: main });
  if (!compiled.result) throw new TypstError(reasonOf(compiled.takeError()));
  return compiler.pdf(compiled.result);
}

/** Returns Typst's message without local paths. */
function reasonOf(error: NodeError | null): string {
  const [first] = (error?.shortDiagnostics ?? []) as { message: string }[];
  const message = first?.message ?? 'no reason given';
  return `Typst cannot set the document: ${message.replaceAll(folder, '')}`;
}

/**
 * Returns the fallback fonts in order. Chinese, Japanese and Korean share characters but draw them
 * differently: a text with kana is taken for Japanese, a text with hangul for Korean.
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

/**
 * Returns the file extension for a picture's content. Typst decodes by extension, which may be wrong in the
 * name.
 */
async function extensionOf(bytes: Uint8Array): Promise<string> {
  const kind = (await fileTypeFromBuffer(bytes))?.ext ?? '';
  return ['png', 'jpg', 'gif', 'webp', 'pdf'].includes(kind) ? kind : 'svg';
}
