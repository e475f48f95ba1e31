import { fractionOf, offsetText, type ZonedTime } from '../zoned-time.ts';
import { abbreviation } from './abbreviation.ts';
import { LayoutError } from './layout-error.ts';
import { pad, twoDigits } from './pad.ts';

type Token = (time: ZonedTime) => string | number;

const hour12 = ({ date }: ZonedTime) => date.hour % 12 || 12;
const month = ({ date }: ZonedTime) => date.month;
const day = ({ date }: ZonedTime) => date.day;

function ordinal(number: number): string {
  const teen = Math.floor((number % 100) / 10) === 1;
  return number + ((!teen && ['th', 'st', 'nd', 'rd'][number % 10]) || 'th');
}

/** Tokens of moment.js and Day.js, in English and with the weeks of ISO 8601. */
const tokens: Record<string, Token> = {
  YYYY: ({ date }) => pad(date.year, 4),
  YY: ({ date }) => twoDigits(date.year),
  Y: ({ date }) => date.year,
  yyyy: ({ date }) => pad(date.year, 4),
  yy: ({ date }) => twoDigits(date.year),
  Q: ({ date }) => date.quarter,
  Qo: ({ date }) => ordinal(date.quarter),
  MMMM: ({ date }) => date.monthLong!,
  MMM: ({ date }) => date.monthShort!,
  MM: (time) => pad(month(time), 2),
  Mo: (time) => ordinal(month(time)),
  M: month,
  DDDD: ({ date }) => pad(date.ordinal, 3),
  DDDo: ({ date }) => ordinal(date.ordinal),
  DDD: ({ date }) => date.ordinal,
  DD: (time) => pad(day(time), 2),
  Do: (time) => ordinal(day(time)),
  D: day,
  dd: ({ date }) => date.weekdayShort!.slice(0, 2),
  ddd: ({ date }) => date.weekdayShort!,
  dddd: ({ date }) => date.weekdayLong!,
  d: ({ date }) => date.weekday % 7,
  E: ({ date }) => date.weekday,
  EEE: ({ date }) => date.weekdayShort!,
  EEEE: ({ date }) => date.weekdayLong!,
  GGGG: ({ date }) => pad(date.weekYear, 4),
  WW: ({ date }) => pad(date.weekNumber, 2),
  W: ({ date }) => date.weekNumber,
  HH: ({ date }) => pad(date.hour, 2),
  H: ({ date }) => date.hour,
  hh: (time) => pad(hour12(time), 2),
  h: hour12,
  kk: ({ date }) => pad(date.hour || 24, 2),
  k: ({ date }) => date.hour || 24,
  mm: ({ date }) => pad(date.minute, 2),
  m: ({ date }) => date.minute,
  ss: ({ date }) => pad(date.second, 2),
  s: ({ date }) => date.second,
  A: ({ date }) => (date.hour < 12 ? 'AM' : 'PM'),
  a: ({ date }) => (date.hour < 12 ? 'am' : 'pm'),
  Z: (time) => offsetText(time, ':'),
  ZZ: (time) => offsetText(time, ''),
  z: abbreviation,
  zz: abbreviation,
  X: ({ date }) => Math.floor(date.toSeconds()),
  x: ({ date }) => date.toMillis(),
  T: () => 'T',
};

/**
 * Whether a layout is one of moment.js: it has `Y` without a week, or `D` as the day of the month. In
 * Unicode's tokens `Y` is the year of the week, and `D` is the day of the year, which has one or three
 * letters and occurs without a month.
 */
export function isMomentLayout(layout: string): boolean {
  const tokens = layout.replace(/'[^']*'/g, '');
  return (
    (/Y/.test(tokens) && !/w/.test(tokens)) ||
    /(?<!D)(?:DD|DDDD)(?!D)/.test(tokens) ||
    (/D/.test(tokens) && /M/.test(tokens))
  );
}

/** Formats a date by the tokens of moment.js. Throws LayoutError. */
export function momentLayout(time: ZonedTime, layout: string): string {
  return layout.replace(
    /\[([^\]]*)\]|'([^']*)'|(?:[QMD]|DDD)o|([a-zA-Z])\3*/g,
    (token, text: string | undefined, quoted: string | undefined) => {
      if (text !== undefined || quoted !== undefined) return text ?? quoted!;
      if (/^S+$/.test(token))
        return fractionOf(time).padEnd(token.length, '0').slice(0, token.length);
      const write = tokens[token];
      if (!write)
        throw new LayoutError(
          `has ${token}, which is no token of moment.js; text stands in [brackets]`,
        );
      return String(write(time));
    },
  );
}
