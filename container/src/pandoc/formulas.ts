import { unzipSync, zipSync } from 'fflate';
import { mapNodes, type Document, type Node } from './ast.ts';

/** Largest uncompressed size in bytes of a document whose formulas are read. */
const maxUncompressedBytes = 200e6;
/** Placeholder of a formula in the text: its number between two private-use characters. */
const mark = /\uE000(\d+)\uE001/;

export interface Marked {
  /** The document with placeholders instead of formulas. */
  document: Uint8Array;
  /** The formulas as MathML, one paragraph each, in the order of their numbers. */
  html: string;
}

/**
 * Extracts the formulas of an OpenDocument text, because pandoc 3.10 does not read them. Each formula is a
 * MathML document in a folder of its own (OpenDocument 1.3, part 3, 10.4.6). Returns undefined if there are
 * none.
 */
export function takeFormulas(odt: Uint8Array): Marked | undefined {
  const parts = partsOf(odt);
  const content = parts?.['content.xml'];
  if (!parts || !content) return undefined;
  const formulas: string[] = [];
  const text = new TextDecoder().decode(content);
  const marked = text.replaceAll(frame, (whole, folder: string) => {
    const formula = parts[`${folder}/content.xml`];
    const mathml = formula && mathmlIn(new TextDecoder().decode(formula));
    if (!mathml) return whole;
    formulas.push(`<p>${mathml}</p>`);
    return `\uE000${formulas.length - 1}\uE001`;
  });
  if (formulas.length === 0) return undefined;
  const document = zipSync(
    { ...parts, 'content.xml': new TextEncoder().encode(marked) },
    { level: 0 },
  );
  return { document, html: formulas.join('\n') };
}

const frame =
  /<draw:frame\b[^>]*>(?:(?!<\/?draw:frame\b)[^])*?<draw:object\b[^>]*\bxlink:href="(?:\.\/)?([^"/]+)\/?"(?:(?!<\/?draw:frame\b)[^])*<\/draw:frame>/g;

const mathmlIn = (xml: string) =>
  /<math\b[^]*<\/math>/.exec(xml.replaceAll(/(<\/?)math:/g, '$1'))?.[0];

function partsOf(odt: Uint8Array): Record<string, Uint8Array> | undefined {
  let size = 0;
  let formulas = false;
  try {
    unzipSync(odt, {
      filter({ name, originalSize }) {
        size += originalSize;
        formulas ||= /^[^/]+\/content\.xml$/.test(name);
        return false;
      },
    });
    return formulas && size < maxUncompressedBytes ? unzipSync(odt) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the placeholders by the formulas. @param read pandoc's syntax tree of `html` */
export function putFormulas(document: Document, read: Document): Document {
  const formulas = read.blocks.map(({ c }) => c as Node[]);
  const blocks = mapNodes(document.blocks, (node) => {
    if (node.t !== 'Str' || !mark.test(node.c as string)) return [node];
    return (node.c as string).split(mark).flatMap((piece, i) => {
      if (i % 2 === 1) return formulas[Number(piece)] ?? [];
      return piece ? [{ t: 'Str', c: piece }] : [];
    });
  });
  return { ...document, blocks };
}
