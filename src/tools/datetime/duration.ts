import { Duration } from 'luxon';

/** A length of time. Years to days depend on the calendar; nanoseconds are elapsed time. */
export interface Span {
  calendar: Duration;
  nanoseconds: bigint;
}

/** Nanoseconds of each unit of elapsed time. */
const elapsed: Record<string, bigint> = {
  hours: 3_600_000_000_000n,
  minutes: 60_000_000_000n,
  seconds: 1_000_000_000n,
  milliseconds: 1_000_000n,
  microseconds: 1000n,
  nanoseconds: 1n,
};

const spellings: Record<string, string> = {
  years: 'y|yrs?|years?',
  months: 'mos?|months?',
  weeks: 'w|wks?|weeks?',
  days: 'd|days?',
  hours: 'h|hrs?|hours?',
  minutes: 'm|mins?|minutes?',
  seconds: 's|secs?|seconds?',
  milliseconds: 'ms|millis|milliseconds?',
  // The first µ is the micro sign U+00B5, the second the Greek letter U+03BC.
  microseconds: 'us|µs|μs|micros|microseconds?',
  nanoseconds: 'ns|nanos|nanoseconds?',
};
const units = Object.entries(spellings);

const number = String.raw`\d+(?:[.]\d*)?|[.]\d+`;
const unit = units.map(([name, spelling]) => `(?<${name}>${spelling})`).join('|');
const part = new RegExp(
  String.raw`(?<amount>${number}|\ban?\b)\s*(?:${unit})(?![a-zµμ])(?:\s*,)?(?:\s+and\b)?\s*`,
  'iy',
);

const isoPart = (name: string, letter: string) =>
  `(?:(?<${name}>[-+]?\\d+(?:[.,]\\d+)?)${letter})?`;
const isoDate =
  isoPart('years', 'Y') + isoPart('months', 'M') + isoPart('weeks', 'W') + isoPart('days', 'D');
const isoTime = isoPart('hours', 'H') + isoPart('minutes', 'M') + isoPart('seconds', 'S');
const isoDuration = new RegExp(`^P(?=[-+\\dT])${isoDate}(?:T(?=[-+\\d])${isoTime})?$`, 'i');

/**
 * Parses a duration in Go's syntax (`-1h30m`, `1.5h`; time.ParseDuration) extended by days, weeks, months and
 * years, in words (`2 days and 3 hours`), or in ISO 8601 (`P1DT2H`). Returns undefined for anything else.
 */
export function parseDuration(text: string): Span | undefined {
  const [, sign, rest] = /^([+-]?)\s*(.*)$/s.exec(text)!;
  const amounts = rest === '0' ? [] : (amountsOfIso(rest!) ?? amountsOfParts(rest!));
  return amounts && sum(amounts, sign === '-');
}

type Amounts = [unit: string, amount: string][];

function amountsOfIso(text: string): Amounts | undefined {
  const found = isoDuration.exec(text)?.groups;
  if (!found) return undefined;
  return Object.entries(found)
    .filter(([, amount]) => amount !== undefined)
    .map(([name, amount]) => [name, amount!.replace(',', '.')]);
}

function amountsOfParts(text: string): Amounts | undefined {
  // The unit M is ambiguous: months or minutes.
  if (/(?<![a-z])M(?![a-z])/.test(text)) return undefined;
  const amounts: Amounts = [];
  for (part.lastIndex = 0; part.lastIndex < text.length;) {
    const groups = part.exec(text)?.groups;
    if (!groups) return undefined;
    const [name] = units.find(([name]) => groups[name] !== undefined)!;
    amounts.push([name, groups.amount!.replace(/^an?$/i, '1')]);
  }
  return amounts.length > 0 ? amounts : undefined;
}

function sum(amounts: Amounts, negative: boolean): Span {
  const calendar: Record<string, number> = {};
  let nanoseconds = 0n;
  for (const [name, amount] of amounts) {
    if (elapsed[name] === undefined) calendar[name] = (calendar[name] ?? 0) + Number(amount);
    else nanoseconds += scaled(amount, elapsed[name]);
  }
  const days = Duration.fromObject(calendar);
  return negative
    ? { calendar: days.negate(), nanoseconds: -nanoseconds }
    : { calendar: days, nanoseconds };
}

/** Multiplies a decimal number by a number of nanoseconds without intermediate rounding. */
function scaled(amount: string, unit: bigint): bigint {
  const [, sign, whole, fraction = ''] = /^([-+]?)(\d*)(?:\.(\d*))?$/.exec(amount)!;
  const value = (BigInt(whole + fraction) * unit) / 10n ** BigInt(fraction.length);
  return sign === '-' ? -value : value;
}
