import { DateError } from './place.ts';

/** A date that was written in digits only, in ISO 8601. */
export interface Compact {
  iso: string;
}

/** Nanoseconds of each unit, and the largest number of digits of a timestamp in the unit. */
const units = [
  { digits: 11, nanoseconds: 1_000_000_000n },
  { digits: 14, nanoseconds: 1_000_000n },
  { digits: 17, nanoseconds: 1000n },
  { digits: 19, nanoseconds: 1n },
];

/**
 * Parses a number. A date of the 20th or 21st century in digits (`20240305150405`) is returned in ISO 8601.
 * Any other number is a Unix timestamp in seconds, milliseconds, microseconds or nanoseconds, by its number
 * of digits, and is returned in nanoseconds. Returns undefined for a text that is not a number.
 *
 * @throws DateError for a number that is neither
 */
export function fromNumber(value: string | number): bigint | Compact | undefined {
  const isText = typeof value === 'string';
  if (isText && yearMonth.test(value)) return { iso: value };
  const text = isText ? value : decimal(value);
  const [, sign, whole, fraction = ''] = /^@?([-+]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) {
    if (isText) return undefined;
    throw new DateError('is out of range for a Unix timestamp');
  }
  const iso = sign || fraction || text.startsWith('@') ? undefined : compact(whole, isText);
  if (iso) return { iso };
  const digits = whole.replace(/^0+(?=.)/, '').length;
  const unit = units.find((unit) => digits <= unit.digits);
  if (!unit) throw new DateError('is out of range for a Unix timestamp');
  const size = (BigInt(whole + fraction) * unit.nanoseconds) / 10n ** BigInt(fraction.length);
  const signed = sign === '-' ? -size : size;
  // A JSON number of nanoseconds is a double, which is exact to some hundred nanoseconds only.
  return isText || Number.isSafeInteger(value) || fraction ? signed : (signed / 1000n) * 1000n;
}

/** A year and a month, such as `2024.03`. Timestamps are not written in this form. */
const yearMonth = /^(?:19|20)\d\d\.(?:0[1-9]|1[0-2])$/;

const decimal = (value: number) => (/e-/.test(String(value)) ? value.toFixed(9) : String(value));

/**
 * Returns the ISO 8601 date of digits that end with the year, the day of the year, the day, the minute, the
 * second or the millisecond; undefined for other digits. Short JSON numbers are timestamps in seconds.
 */
function compact(digits: string, isText: boolean): string | undefined {
  const { length } = digits;
  if (isText && length === 4) return digits;
  if (!/^(?:19|20)/.test(digits)) return undefined;
  if (isText && /^....(?:0[1-9]|1[0-2])$/.test(digits)) {
    throw new DateError(
      `may be a month or seconds; write ${digits.slice(0, 4)}-${digits.slice(4)}, or a JSON number for seconds`,
    );
  }
  if (!(isText ? [7, 8, 12, 14, 17] : [14, 17]).includes(length)) return undefined;
  if (length <= 8) return digits;
  const fraction = length === 17 ? `.${digits.slice(14)}` : '';
  return `${digits.slice(0, 8)}T${digits.slice(8, 14)}${fraction}`;
}
