import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  NodeCompiler,
  type NodeError,
  type NodeTypstDocument,
} from '@myriaddreamin/typst-ts-node-compiler';
import { fileTypeFromBuffer } from 'file-type';
import type { Page, PdfStandard } from '../../../src/tools/convert-document/page.ts';
import type { Files } from '../pandoc/engine.ts';
import { loadFonts } from './fonts.ts';
import { scriptsOf } from './scripts.ts';

// An empty folder, outside of which Typst reads no files. Pictures are shadow files in it, held in memory.
const folder = mkdtempSync(join(tmpdir(), 'typst-'));

/** Typst cannot compile a document; the message is Typst's. */
export class TypstError extends Error {}

export interface PdfOrder {
  /** Pandoc's Typst, with template.typ as its template. */
  source: string;
  /** The pictures by their path in the source. */
  pictures: Files;
  page: Page;
  standard: PdfStandard | undefined;
}

export interface Pdf {
  bytes: Uint8Array;
  warnings: string[];
}

let latin: NodeCompiler | undefined;
let complete: NodeCompiler | undefined;

/** Compiles Typst to PDF. A picture that Typst cannot decode is left out, with a warning. Throws TypstError. */
export async function writePdf(order: PdfOrder): Promise<Pdf> {
  // Starting the compiler with all fonts takes a third of a second, and most documents need none of them.
  latin ??= NodeCompiler.create({ workspace: folder });
  const { foreign } = scriptsOf(order.source);
  if (!foreign) {
    const { missing, ...pdf } = await writtenWith(latin, order);
    if (missing.length === 0) return pdf;
  }
  complete ??= NodeCompiler.create({
    workspace: folder,
    fontArgs: [{ fontBlobs: await loadFonts() }],
  });
  const { bytes, warnings, missing } = await writtenWith(complete, order);
  return { bytes, warnings: [...warnings, ...missingGlyphs(missing)] };
}

/** @returns the PDF, and the characters that no font has */
async function writtenWith(
  compiler: NodeCompiler,
  { source, pictures, page, standard }: PdfOrder,
): Promise<Pdf & { missing: string[] }> {
  try {
    const { names, warnings } = await addPictures(compiler, source, pictures);
    const settings = JSON.stringify({ page, pictures: names, ...scriptsOf(source) });
    const document = compile(compiler, source, settings);
    const missing = missingIn(compiler, document);
    return { bytes: exported(compiler, document, standard), warnings, missing };
  } finally {
    compiler.resetShadow();
    compiler.evictCache(0);
  }
}

function compile(compiler: NodeCompiler, source: string, settings: string): NodeTypstDocument {
  const compiled = compiler.compile({ mainFileContent: source, inputs: { settings } });
  if (!compiled.result) throw new TypstError(reasonOf(compiled.takeError()));
  return compiled.result;
}

/** Gives the pictures of the source to the compiler. @returns their names there; null for what is no picture */
async function addPictures(compiler: NodeCompiler, source: string, pictures: Files) {
  const names: Record<string, string | null> = {};
  const warnings: string[] = [];
  for (const [path, bytes] of Object.entries(pictures)) {
    if (!source.includes(`image(${JSON.stringify(path)}`)) continue;
    const name = `${Object.keys(names).length}.${await extensionOf(bytes)}`;
    compiler.mapShadow(join(folder, name), Buffer.from(bytes));
    const shown = shows(compiler, name);
    names[path] = shown ? name : null;
    if (!shown) {
      warnings.push(`${path} is not in a picture format that a PDF supports; it is left out`);
    }
  }
  return { names, warnings };
}

/** Whether Typst can decode a picture. Each is tried alone, because Typst's errors do not name the picture. */
function shows(compiler: NodeCompiler, name: string): boolean {
  return compiler.compile({ mainFileContent: `#image(${JSON.stringify(name)})` }).result !== null;
}

/** Exports a PDF of version 1.7, or of a standard. Throws TypstError when the document violates the standard. */
function exported(
  compiler: NodeCompiler,
  document: NodeTypstDocument,
  standard: PdfStandard | undefined,
): Uint8Array {
  try {
    return compiler.pdf(document, standard && { pdfStandard: standard });
  } catch (error) {
    throw new TypstError(`the PDF cannot be made: ${messagesOf(error).join('; ')}`);
  }
}

/**
 * Returns the characters that no font has. A PDF/A must not have any, and the compiler names them when it
 * refuses one.
 */
function missingIn(compiler: NodeCompiler, document: NodeTypstDocument): string[] {
  try {
    compiler.pdf(document, { pdfStandard: 'a-2b' });
    return [];
  } catch (error) {
    const texts = messagesOf(error).flatMap(
      (message) => /the text `"(.+)"` could not be displayed/.exec(message)?.slice(1) ?? [],
    );
    return [...new Set(texts.flatMap((text) => [...text]))];
  }
}

/** Returns the messages in the compiler's error, which has the format of Rust's debug output. */
const messagesOf = (error: unknown): string[] =>
  Array.from(String(error).matchAll(/message: "((?:[^"\\]|\\.)*)"/g), ([, message]) =>
    message!
      .replaceAll(/\\+u\{([0-9a-f]+)\}/g, (_, code: string) =>
        String.fromCodePoint(parseInt(code, 16)),
      )
      .replaceAll(/\\(.)/g, '$1'),
  );

/** Number of characters that a warning names. */
const maxNamed = 20;

function missingGlyphs(characters: string[]): string[] {
  if (characters.length === 0) return [];
  const named = characters
    .slice(0, maxNamed)
    .map((one) => `${one} (U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')})`);
  const more = characters.length > maxNamed ? ` and ${characters.length - maxNamed} more` : '';
  return [`no font has these characters, which the PDF shows as boxes: ${named.join(', ')}${more}`];
}

/** Returns Typst's message without local paths. */
function reasonOf(error: NodeError | null): string {
  const [first] = (error?.shortDiagnostics ?? []) as { message: string }[];
  const message = first?.message ?? 'no reason given';
  return `Typst cannot set the document: ${message.replaceAll(folder, '')}`;
}

/**
 * Returns the file extension for a picture's content. Typst decodes by extension, which may be wrong in the
 * name.
 */
async function extensionOf(bytes: Uint8Array): Promise<string> {
  const kind = (await fileTypeFromBuffer(bytes))?.ext ?? '';
  return ['png', 'jpg', 'gif', 'webp', 'pdf'].includes(kind) ? kind : 'svg';
}
