import { attribute, everything, isElement, type Element } from './parse.ts';

/** Returns the cells of each row. Rows without cells are dropped. */
export const rowsOf = (element: Element): Element[][] =>
  rowsIn(element)
    .map(cellsOf)
    .filter((cells) => cells.length > 0);

export const rowsIn = (element: Element): Element[] =>
  element.childNodes.filter(isElement).flatMap((child) => {
    if (child.tagName === 'tr') return [child];
    return ['thead', 'tbody', 'tfoot'].includes(child.tagName) ? rowsIn(child) : [];
  });

const cellsOf = (row: Element) =>
  row.childNodes.filter(isElement).filter(({ tagName }) => tagName === 'td' || tagName === 'th');

/** Columns or rows that a cell takes (HTML, 4.9.11); no rows at all are all that follow. */
function span(cell: Element, name: 'colspan' | 'rowspan', most: number): number {
  const said = Number(attribute(cell, name) ?? 1);
  if (name === 'rowspan' && said === 0) return most;
  return Number.isInteger(said) && said > 0 ? Math.min(said, most) : 1;
}

/**
 * The cells of rows in their columns, with nothing where one reaches into further columns or rows.
 * Undefined if there are more places than `most`. A row without cells of its own is left out.
 */
export function gridOf(rows: Element[], most: number): (Element | undefined)[][] | undefined {
  const grid: (Element | undefined)[][] = rows.map(() => []);
  const below = rowsBelow(rows);
  let [width, places] = [0, 0];
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const cell of cellsOf(row)) {
      while (x in grid[y]!) x++;
      const columns = span(cell, 'colspan', 1000);
      const lines = span(cell, 'rowspan', below[y]!);
      places += columns * lines;
      width = Math.max(width, x + columns);
      if (Math.max(places, width * rows.length) > most) return undefined;
      for (let i = 0; i < columns * lines; i++) {
        grid[y + Math.floor(i / columns)]![x + (i % columns)] = undefined;
      }
      grid[y]![x] = cell;
    }
  }
  return grid
    .map((row) => Array.from({ length: width }, (_, x) => row[x]))
    .filter((_, y) => cellsOf(rows[y]!).length > 0);
}

/** For each row, how many there are from it to the end of its group, beyond which no cell reaches. */
function rowsBelow(rows: Element[]): number[] {
  const below = rows.map(() => 1);
  for (let y = rows.length - 2; y >= 0; y--) {
    if (rows[y]!.parentNode === rows[y + 1]!.parentNode) below[y] = below[y + 1]! + 1;
  }
  return below;
}

export function alignment(cell: Element): 'left' | 'right' | 'center' | null {
  const style = /text-align\s*:\s*(\w+)/i.exec(attribute(cell, 'style') ?? '')?.[1];
  const said = (attribute(cell, 'align') ?? style ?? '').toLowerCase();
  return said === 'left' || said === 'right' || said === 'center' ? said : null;
}

const structure = new Set(
  'h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote hr table form article section'.split(' '),
);

/** Whether a table only puts things beside or below each other, and is no table. */
export function isForLayout(element: Element, grid: (Element | undefined)[][]): boolean {
  const role = attribute(element, 'role');
  if (role === 'presentation' || role === 'none') return true;
  const inside = [...everything(element)].filter(isElement).slice(1);
  if (inside.some(({ tagName }) => tagName === 'table')) return true;
  if (inside.some(({ tagName }) => tagName === 'th' || tagName === 'caption')) return false;
  return (grid[0]?.length ?? 0) < 2 || inside.some(({ tagName }) => structure.has(tagName));
}
