import { unzipSync, zipSync } from 'fflate';
import type { Files } from './pandoc/engine.ts';

/** Draws an SVG picture as PNG. */
type Draw = (svg: Uint8Array) => Promise<Uint8Array>;

const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/image';

/**
 * Adds a PNG beside each SVG picture of a document that pandoc has written, for programs that do not show
 * SVG. A picture that cannot be drawn stays alone.
 */
export async function withPngPictures(
  format: 'docx' | 'odt',
  document: Uint8Array,
  draw: Draw,
): Promise<Uint8Array> {
  const isSvg = (name: string) => /^(?:word\/media|Pictures)\/[^/]+\.svg$/.test(name);
  const paths: string[] = [];
  unzipSync(document, { filter: ({ name }) => isSvg(name) && paths.push(name) < 0 });
  if (paths.length === 0) return document;
  const parts: Files = unzipSync(document);
  for (const path of paths) {
    const png = await draw(parts[path]!).catch(() => undefined);
    if (!png) continue;
    parts[`${path}.png`] = png;
    if (format === 'docx') addToWord(parts, path);
    else addToOpenDocument(parts, path);
  }
  // OpenDocument requires the media type as the first file, without compression (1.3, part 2, 3.3).
  const { mimetype, ...others } = parts;
  return zipSync({ ...(mimetype && { mimetype: [mimetype, { level: 0 }] }), ...others });
}

/** Uses the PNG as the picture, of which the SVG is an extension (ECMA-376, and MS-ODRAWXML 2.3). */
function addToWord(parts: Files, path: string): void {
  const target = path.replace('word/', '');
  edit(parts, '[Content_Types].xml', (xml) =>
    xml.replace('</Types>', `<Override PartName="/${path}.png" ContentType="image/png"/></Types>`),
  );
  for (const part of ['document', 'footnotes']) {
    const relations = `word/_rels/${part}.xml.rels`;
    const id = parts[relations] && idOf(textOf(parts[relations]), target);
    if (!id) continue;
    edit(parts, relations, (xml) =>
      xml.replace(
        '</Relationships>',
        `<Relationship Type="${type}" Id="${id}png" Target="${target}.png"/></Relationships>`,
      ),
    );
    edit(parts, `word/${part}.xml`, (xml) =>
      xml.replaceAll(
        new RegExp(`<a:blip>((?:(?!</a:blip>)[^])*<asvg:svgBlip\\b[^>]*r:embed="${id}")`, 'g'),
        `<a:blip r:embed="${id}png">$1`,
      ),
    );
  }
}

const idOf = (relations: string, target: string) =>
  (relations.match(/<Relationship\b[^>]*>/g) ?? [])
    .find((one) => one.includes(`Target="${target}"`))
    ?.match(/\bId="(\w+)"/)?.[1];

/** Adds the PNG to the frame of the SVG. A program shows the first one that it supports (1.3, part 3, 10.4.2). */
function addToOpenDocument(parts: Files, path: string): void {
  edit(parts, 'content.xml', (xml) =>
    xml.replaceAll(
      new RegExp(`<draw:image\\b[^>]*xlink:href="${path}"[^>]*/>`, 'g'),
      (image) => image + image.replace(path, `${path}.png`),
    ),
  );
  edit(parts, 'META-INF/manifest.xml', (xml) =>
    xml.replace(
      '</manifest:manifest>',
      `<manifest:file-entry manifest:media-type="image/png" manifest:full-path="${path}.png"/></manifest:manifest>`,
    ),
  );
}

const textOf = (part: Uint8Array) => new TextDecoder().decode(part);

function edit(parts: Files, path: string, change: (xml: string) => string): void {
  const part = parts[path];
  if (part) parts[path] = new TextEncoder().encode(change(textOf(part)));
}
