import { epochNanoseconds, fractionOf, offsetText, type ZonedTime } from '../zoned-time.ts';
import { abbreviation } from './abbreviation.ts';
import { LayoutError } from './layout-error.ts';

type Conversion = (time: ZonedTime) => string;

/** A numeric conversion with its default width and padding character. */
interface Numeric {
  value: Conversion;
  width: number;
  fill: '0' | ' ';
}

const numeric = (
  width: number,
  value: (time: ZonedTime) => number,
  fill: '0' | ' ' = '0',
): Numeric => ({
  value: (time) => String(value(time)),
  width,
  fill,
});
const hour12 = ({ date }: ZonedTime) => date.hour % 12 || 12;

/** Numeric conversions (POSIX.1-2024, GNU date, Ruby and Python) in the C locale. */
const numbers: Record<string, Numeric> = {
  Y: numeric(4, ({ date }) => date.year),
  C: numeric(2, ({ date }) => Math.floor(date.year / 100)),
  y: numeric(2, ({ date }) => ((date.year % 100) + 100) % 100),
  m: numeric(2, ({ date }) => date.month),
  d: numeric(2, ({ date }) => date.day),
  e: numeric(2, ({ date }) => date.day, ' '),
  j: numeric(3, ({ date }) => date.ordinal),
  q: numeric(1, ({ date }) => date.quarter),
  H: numeric(2, ({ date }) => date.hour),
  k: numeric(2, ({ date }) => date.hour, ' '),
  I: numeric(2, hour12),
  l: numeric(2, hour12, ' '),
  M: numeric(2, ({ date }) => date.minute),
  S: numeric(2, ({ date }) => date.second),
  u: numeric(1, ({ date }) => date.weekday),
  w: numeric(1, ({ date }) => date.weekday % 7),
  V: numeric(2, ({ date }) => date.weekNumber),
  G: numeric(4, ({ date }) => date.weekYear),
  g: numeric(2, ({ date }) => ((date.weekYear % 100) + 100) % 100),
  U: numeric(2, ({ date }) => week(date.ordinal, date.weekday % 7)),
  W: numeric(2, ({ date }) => week(date.ordinal, date.weekday - 1)),
  s: numeric(1, (time) =>
    Number((epochNanoseconds(time) - BigInt(fractionOf(time))) / 1_000_000_000n),
  ),
};

/** Returns the week of the year. @param day days since the first day of the week */
const week = (ordinal: number, day: number) => Math.floor((ordinal + 6 - day) / 7);

const texts: Record<string, Conversion> = {
  B: ({ date }) => date.monthLong!,
  b: ({ date }) => date.monthShort!,
  h: ({ date }) => date.monthShort!,
  A: ({ date }) => date.weekdayLong!,
  a: ({ date }) => date.weekdayShort!,
  p: ({ date }) => (date.hour < 12 ? 'AM' : 'PM'),
  P: ({ date }) => (date.hour < 12 ? 'am' : 'pm'),
  Z: abbreviation,
  z: (time) => offsetText(time, ''),
  ':z': (time) => offsetText(time, ':'),
  '::z': (time) => offsetText(time, ':').padEnd(9, ':00'),
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

/** Conversions of fractions of a second, with their default number of digits. */
const fractions: Record<string, number> = { L: 3, f: 6, N: 9 };

const composed: Record<string, string> = {
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
  v: '%e-%b-%Y',
};

/** Formats a date by strftime, with the flags and widths of GNU date. Throws LayoutError. */
export function strftime(time: ZonedTime, layout: string): string {
  return layout.replace(
    /%([-_0^#]*)(\d{1,2})?[EO]?(:{0,2}[a-zA-Z%])?/g,
    (whole, flags: string, width: string | undefined, letter = '') => {
      const text = converted(time, letter as string, flags, width ? Number(width) : undefined);
      if (text === undefined) throw new LayoutError(`has ${whole}, which strftime does not know`);
      return flags.includes('^') ? text.toUpperCase() : text;
    },
  );
}

function converted(
  time: ZonedTime,
  letter: string,
  flags: string,
  width: number | undefined,
): string | undefined {
  const number = numbers[letter];
  if (number) return padded(number, number.value(time), flags, width);
  const digits = fractions[letter];
  if (digits !== undefined)
    return fractionOf(time)
      .padEnd(width ?? digits, '0')
      .slice(0, width ?? digits);
  const layout = composed[letter];
  const text = layout === undefined ? texts[letter]?.(time) : strftime(time, layout);
  if (text === undefined) return undefined;
  const spaced = flags.includes('-')
    ? text
    : text.padStart(width ?? 0, flags.includes('0') ? '0' : ' ');
  return flags.includes('#') ? otherCase(spaced, letter) : spaced;
}

function padded(number: Numeric, value: string, flags: string, width = number.width): string {
  if (flags.includes('-')) return value;
  const fill = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : number.fill;
  const [sign, digits] = value.startsWith('-') ? ['-', value.slice(1)] : ['', value];
  return sign + digits.padStart(width - sign.length, fill);
}

const otherCase = (text: string, letter: string) =>
  /[Zp]/.test(letter) ? text.toLowerCase() : text.toUpperCase();
