import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { apiVersion, noAttributes, type Node } from '../pandoc/ast.ts';
import type { Files } from '../pandoc/engine.ts';
import { contentOf, type Page } from './page.ts';

/** An element of a tagged PDF's structure tree (ISO 32000-2, 14.7), or a reference to content. */
interface Element {
  role?: string;
  children?: Element[];
  alt?: string;
  /** `content` or `annotation`, for a reference. `id` is its target. */
  type?: string;
  id?: string;
}

/** Smallest share of the letters that the structure tree must cover. Below it the tags are ignored. */
const minTaggedShare = 0.9;

/** Returns the pictures by page, top to bottom. Called only if the structure tree has figures. */
export type Pictures = () => Promise<Map<number, { path: string; bytes: Uint8Array }[]>>;

interface TaggedContent {
  /** The document as pandoc's JSON. */
  json: string;
  pictures: Files;
}

/**
 * Reads the document from the structure tree of a tagged PDF, which Word, LibreOffice, browsers and Typst
 * write. Returns undefined for a PDF without tags, or if the tags cover less than 90 % of its letters.
 */
export async function readTagged(
  pdf: PDFDocumentProxy,
  picturesOf: Pictures,
): Promise<TaggedContent | undefined> {
  const marks = await pdf.getMarkInfo();
  if (!(marks as Map<string, boolean> | null)?.get('Marked')) return undefined;
  const pages: { tree: Element; content: Page }[] = [];
  let [seen, known] = [0, 0];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const content = await contentOf(page);
    const tree = ((await page.getStructTree()) ?? {}) as Element;
    seen += lettersOf(content.loose);
    for (const { text } of content.text.values()) seen += lettersOf(text);
    for (const id of idsOf(tree)) known += lettersOf(content.text.get(id)?.text ?? '');
    pages.push({ tree, content });
    page.cleanup();
  }
  if (known === 0 || known < minTaggedShare * seen) return undefined;
  const figures = pages.some(({ tree }) => hasRole(tree, 'Figure'));
  const pictures: Awaited<ReturnType<Pictures>> = figures ? await picturesOf() : new Map();
  let blocks: Node[] = [];
  for (const [i, { tree, content }] of pages.entries()) {
    content.pictures = (pictures.get(i + 1) ?? []).map(({ path }) => path);
    blocks = joined(blocks, blocksOf(tree, content));
  }
  const all = [...pictures.values()].flat();
  return {
    json: JSON.stringify({ 'pandoc-api-version': apiVersion, meta: {}, blocks }),
    pictures: Object.fromEntries(all.map(({ path, bytes }) => [path, bytes])),
  };
}

const lettersOf = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

const hasRole = (element: Element, role: string): boolean =>
  element.role === role || (element.children ?? []).some((child) => hasRole(child, role));

const idsOf = (element: Element): string[] =>
  element.type === 'content' ? [element.id!] : (element.children ?? []).flatMap(idsOf);

const headings = new Map(
  ['Title', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6'].map((role, i) => [role, Math.max(1, i)]),
);
headings.set('H', 1);
/** Roles that are blocks or contain blocks. All other roles are inline. */
const blockRoles = new Set(
  [
    ...headings.keys(),
    'P L LI LBody Table BlockQuote TOC TOCI Caption Index BibEntry',
    'Root Document DocumentFragment Part Art Sect Div Aside NonStruct',
  ].flatMap((roles) => roles.split(' ')),
);

const isBlock = (element: Element): boolean =>
  blockRoles.has(element.role ?? '') ||
  ((element.role === 'Code' || element.role === 'Figure' || element.role === 'Link') &&
    (element.children ?? []).some(isBlock));

/** Converts the children of an element to blocks. Inline content between blocks becomes paragraphs. */
function blocksOf(element: Element, page: Page): Node[] {
  const blocks: Node[] = [];
  let line: Element[] = [];
  const paragraph = () => {
    const inlines = inlinesOf(line, page);
    if (inlines.length > 0) blocks.push({ t: 'Para', c: inlines });
    line = [];
  };
  for (const child of element.children ?? []) {
    if (!isBlock(child)) {
      // A span that starts a new line begins a paragraph that has no tag.
      if (child.role === 'Span' && textOf(child, page).startsWith('\n')) paragraph();
      line.push(child);
      continue;
    }
    paragraph();
    blocks.push(...blockOf(child, page));
  }
  paragraph();
  return blocks;
}

function blockOf(element: Element, page: Page): Node[] {
  const { role = '', children = [] } = element;
  const level = headings.get(role);
  if (level !== undefined) {
    const inlines = inlinesOf(children, page);
    return inlines.length > 0 ? [{ t: 'Header', c: [level, noAttributes, inlines] }] : [];
  }
  switch (role) {
    // The table of contents repeats the headings.
    case 'TOC':
      return [];
    case 'Code':
      return [{ t: 'CodeBlock', c: [noAttributes, codeOf(element, page)] }];
    case 'BlockQuote': {
      const quoted = blocksOf(element, page);
      return quoted.length > 0 ? [{ t: 'BlockQuote', c: quoted }] : [];
    }
    case 'L':
      return listOf(element, page);
    case 'Table':
      return tableOf(element, page);
    default:
      return blocksOf(element, page);
  }
}

const bullet = /^[\p{P}\p{S}\p{Co}o]$/u;
const numeral = /^(\(?)([0-9]+|[a-zA-Z]|[ivx]+|[IVX]+)([.)])$/;

/** Returns pandoc's numbering of a list from the label of its first item; undefined for a bullet. */
function countingOf(label: string): [start: number, style: Node, delimiter: Node] | undefined {
  const [, open, number = '', close] = numeral.exec(label) ?? [];
  if (!number) return undefined;
  const upper = number === number.toUpperCase() ? 'Upper' : 'Lower';
  const roman = /^(?:[ivx]{2,}|i)$/i.test(number);
  const style = /\d/.test(number) ? 'Decimal' : upper + (roman ? 'Roman' : 'Alpha');
  const start = /\d/.test(number)
    ? Number(number)
    : roman
      ? 1
      : number.toLowerCase().charCodeAt(0) - 96;
  return [start, { t: style }, { t: close === '.' ? 'Period' : open ? 'TwoParens' : 'OneParen' }];
}

/** Converts a list. Its labels tell whether it is numbered. A label with text, such as a term, is kept. */
function listOf(list: Element, page: Page): Node[] {
  const items: Node[][] = [];
  let counting: ReturnType<typeof countingOf>;
  for (const child of list.children ?? []) {
    if (child.role === 'LI' || items.length === 0) {
      const label = (child.children ?? []).find(({ role }) => role === 'Lbl');
      const text = label ? textOf(label, page).trim() : '';
      if (items.length === 0) counting = countingOf(text);
      const rest = { ...child, children: (child.children ?? []).filter((one) => one !== label) };
      const term = text && !numeral.test(text) && !bullet.test(text);
      const body = blocksOf(rest, page);
      items.push(term ? [{ t: 'Para', c: [{ t: 'Strong', c: words(text) }] }, ...body] : body);
    } else items.at(-1)!.push(...blockOf(child, page));
  }
  if (items.every((item) => item.length === 0)) return [];
  const tight = items.map((item) =>
    item.map((one) => (one.t === 'Para' ? { ...one, t: 'Plain' } : one)),
  );
  return [counting ? { t: 'OrderedList', c: [counting, tight] } : { t: 'BulletList', c: tight }];
}

/** Converts a table to rows of equal length. The first row is the header if all its cells are `TH`. */
function tableOf(table: Element, page: Page): Node[] {
  const rowsOf = (element: Element): Element[] =>
    element.role === 'TR' ? [element] : (element.children ?? []).flatMap(rowsOf);
  const rows = rowsOf(table).map(({ children = [] }) =>
    children.filter(({ role }) => role === 'TH' || role === 'TD'),
  );
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return blocksOf(table, page);
  const header = rows[0]!.every(({ role }) => role === 'TH') ? rows.slice(0, 1) : [];
  const cell = (one: Element | undefined) => [
    noAttributes,
    { t: 'AlignDefault' },
    1,
    1,
    one
      ? blocksOf(one, page).map((block) => (block.t === 'Para' ? { ...block, t: 'Plain' } : block))
      : [],
  ];
  const row = (cells: Element[]) => [
    noAttributes,
    Array.from({ length: width }, (_, i) => cell(cells[i])),
  ];
  const caption = (table.children ?? []).filter(({ role }) => role === 'Caption');
  return [
    {
      t: 'Table',
      c: [
        noAttributes,
        [null, caption.flatMap((one) => blocksOf(one, page))],
        Array.from({ length: width }, () => [{ t: 'AlignDefault' }, { t: 'ColWidthDefault' }]),
        [noAttributes, header.map(row)],
        [[noAttributes, 0, [], rows.slice(header.length).map(row)]],
        [noAttributes, []],
      ],
    },
  ];
}

/** Converts elements to inlines. */
function inlinesOf(elements: Element[], page: Page): Node[] {
  const pieces: (Node | string)[] = elements.flatMap((element, i) =>
    pieceOf(element, elements[i + 1], page),
  );
  const inlines: Node[] = [];
  let text = '';
  const flush = () => {
    inlines.push(...words(text));
    text = '';
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      flush();
      inlines.push(piece);
    }
  }
  flush();
  while (isSpace(inlines[0])) inlines.shift();
  while (isSpace(inlines.at(-1))) inlines.pop();
  return inlines;
}

const isSpace = (node: Node | undefined) => node?.t === 'Space' || node?.t === 'SoftBreak';

function pieceOf(element: Element, next: Element | undefined, page: Page): (Node | string)[] {
  const { role, type, id = '', children = [], alt } = element;
  if (type === 'content') {
    const { text, mono } = page.text.get(id) ?? { text: '', mono: false };
    return mono && text.trim() ? inlineCode(text) : [text];
  }
  if (type) return [];
  // The number of a note, which pandoc writes itself. The note follows.
  if (role === 'Lbl' && next?.role === 'Note') return [];
  const wrap = (t: string, ...before: unknown[]): (Node | string)[] => {
    const inner = inlinesOf(children, page);
    return inner.length > 0 ? [{ t, c: before.length > 0 ? [...before, inner] : inner }] : [];
  };
  switch (role) {
    case 'Note': {
      const body = { ...element, children: children.filter((child) => child.role !== 'Lbl') };
      const note = blocksOf(body, page);
      return note.length > 0 ? [{ t: 'Note', c: note }] : [];
    }
    case 'Link': {
      const annotation = children.find((child) => child.type === 'annotation')?.id ?? '';
      const url = page.links.get(annotation.replace('pdfjs_internal_id_', ''));
      const inner = inlinesOf(children, page);
      const space = /^\s/.test(textOf(element, page)) ? [' '] : [];
      if (inner.length === 0) return [];
      return url
        ? [...space, { t: 'Link', c: [noAttributes, inner, [url, '']] }]
        : [...space, ...inner];
    }
    case 'Figure': {
      const inner = inlinesOf(children, page);
      const picture = page.pictures.shift();
      if (!picture) return inner.length > 0 ? inner : alt ? words(alt) : [];
      return [{ t: 'Image', c: [noAttributes, words(alt ?? ''), [picture, '']] }, ...inner];
    }
    case 'Code':
      return inlineCode(textOf(element, page));
    case 'Em':
      return wrap('Emph');
    case 'Strong':
      return wrap('Strong');
    default:
      return children.flatMap((child, i) => pieceOf(child, children[i + 1], page));
  }
}

const textOf = (element: Element, page: Page): string =>
  element.type === 'content'
    ? (page.text.get(element.id!)?.text ?? '')
    : (element.children ?? []).map((child) => textOf(child, page)).join('');

function inlineCode(text: string): (Node | string)[] {
  const code = { t: 'Code', c: [noAttributes, line(text.trim())] };
  return [/^\s/.test(text) ? ' ' : '', code, /\s$/.test(text) ? ' ' : ''];
}

/** Returns the lines of a code block. Their indentation is computed from their positions on the page. */
function codeOf(element: Element, page: Page): string {
  const lines: TextItem[][] = [[]];
  for (const id of idsOf(element)) {
    for (const item of page.text.get(id)?.items ?? []) {
      if (item.hasEOL && item.str === '') lines.push([]);
      if (item.str !== '') lines.at(-1)!.push(item);
      if (item.hasEOL && item.str !== '') lines.push([]);
    }
  }
  const first = (items: TextItem[]) => items.find(({ str }) => str.trim());
  const starts = lines.map((items) => first(items)?.transform[4] as number | undefined);
  const left = Math.min(...starts.filter((x) => x !== undefined));
  const sample = lines.flat().find(({ str, width }) => str.trim().length > 1 && width > 0);
  const letter = sample ? sample.width / sample.str.length : 1;
  const text = lines.map((items, i) => {
    const indent = starts[i] === undefined ? 0 : Math.round((starts[i] - left) / letter);
    return (
      ' '.repeat(indent) +
      items
        .map(({ str }) => str)
        .join('')
        .trim()
    );
  });
  return text.join('\n').replace(/^\n+|\n+$/g, '');
}

/** Joins the lines of a paragraph, and the two parts of a hyphenated word. */
const line = (text: string) =>
  text
    .replaceAll(/\u00AD\n?/g, '')
    .replaceAll(/(?<=\p{L}-)\n(?=\p{Ll})/gu, '')
    .replaceAll(
      /(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])\n(?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])/gu,
      '',
    )
    .replaceAll(/\s+/g, ' ');

const words = (text: string): Node[] =>
  line(text)
    .split(/( )/)
    .filter((word) => word !== '')
    .map((word) => (word === ' ' ? { t: 'Space' } : { t: 'Str', c: word }));

/** Concatenates the blocks of two pages. A paragraph, list or code block that continues is joined. */
function joined(before: Node[], after: Node[]): Node[] {
  const [last, first] = [before.at(-1), after[0]];
  if (!last || !first || last.t !== first.t) return [...before, ...after];
  const both = bothOf(last, first);
  return both ? [...before.slice(0, -1), both, ...after.slice(1)] : [...before, ...after];
}

function bothOf({ t, c }: Node, next: Node): Node | undefined {
  switch (t) {
    case 'Para': {
      const [end, start] = [(c as Node[]).at(-1), (next.c as Node[])[0]];
      const open = end?.t !== 'Str' || !/[.!?:…。！？]["”’)\]]?$/u.test(end.c as string);
      const goesOn = start?.t !== 'Str' || /^[\p{Ll}\p{Lo}\p{N}(]/u.test(start.c as string);
      return open && goesOn
        ? { t, c: [...(c as Node[]), { t: 'Space' }, ...(next.c as Node[])] }
        : undefined;
    }
    case 'BulletList':
      return { t, c: [...(c as Node[][]), ...(next.c as Node[][])] };
    case 'OrderedList': {
      const [[start, ...style], items] = c as [[number, ...unknown[]], Node[][]];
      const [[from], more] = next.c as [[number], Node[][]];
      return from === start + items.length
        ? {
            t,
            c: [
              [start, ...style],
              [...items, ...more],
            ],
          }
        : undefined;
    }
    case 'CodeBlock': {
      const [attributes, code] = c as [unknown, string];
      return { t, c: [attributes, `${code}\n${(next.c as [unknown, string])[1]}`] };
    }
    default:
      return undefined;
  }
}
