/** A number with zeros before it, and its sign before them. */
export const pad = (value: number, digits: number): string =>
  (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(digits, '0');

/** The last two digits of a year. */
export const twoDigits = (year: number): string => pad(Math.abs(year) % 100, 2);
