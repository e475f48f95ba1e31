/** Pads a number with zeros after its sign. */
export const pad = (value: number, digits: number): string =>
  (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(digits, '0');

/** Returns the last two digits of a year. */
export const twoDigits = (year: number): string => pad(Math.abs(year) % 100, 2);
