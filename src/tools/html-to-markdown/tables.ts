import { attribute, elementsIn, isElement, type Element } from './parse.ts';

/** Returns the cells of each row. Rows without cells are dropped. */
export const rowsOf = (element: Element): Element[][] =>
  rowsIn(element)
    .map(cellsOf)
    .filter((cells) => cells.length > 0);

const rowsIn = (element: Element): Element[] =>
  element.childNodes.filter(isElement).flatMap((child) => {
    if (child.tagName === 'tr') return [child];
    return ['thead', 'tbody', 'tfoot'].includes(child.tagName) ? rowsIn(child) : [];
  });

const cellsOf = (row: Element) =>
  row.childNodes.filter(isElement).filter(({ tagName }) => tagName === 'td' || tagName === 'th');

/** Returns the number of columns of a cell, at most 1000 (HTML, 4.9.11). */
const span = (cell: Element) => {
  const said = Number(attribute(cell, 'colspan') ?? 1);
  return Number.isInteger(said) && said > 0 ? Math.min(said, 1000) : 1;
};

/** Returns the cells of a row by column, undefined for a column that an earlier cell spans. */
export const widened = (cells: Element[]): (Element | undefined)[] =>
  cells.flatMap((cell) => [cell, ...Array.from({ length: span(cell) - 1 }, () => undefined)]);

export function alignment(cell: Element): 'left' | 'right' | 'center' | null {
  const style = /text-align\s*:\s*(\w+)/i.exec(attribute(cell, 'style') ?? '')?.[1];
  const said = (attribute(cell, 'align') ?? style ?? '').toLowerCase();
  return said === 'left' || said === 'right' || said === 'center' ? said : null;
}

/** Returns the number of columns of the widest row. */
export const widthOf = (rows: Element[][]): number =>
  rows
    .map((cells) => cells.reduce((sum, cell) => sum + span(cell), 0))
    .reduce((most, each) => Math.max(most, each), 0);

/** Whether a table is used only for layout. */
export function isForLayout(element: Element, width: number): boolean {
  const role = attribute(element, 'role');
  if (role === 'presentation' || role === 'none') return true;
  const oneColumn = width < 2 && elementsIn(element, 'th').length === 0;
  return oneColumn || elementsIn(element, 'table').length > 1;
}
