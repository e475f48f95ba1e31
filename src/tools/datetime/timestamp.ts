import { DateError } from './place.ts';

/** A date of nothing but digits, in ISO 8601. */
export interface Compact {
  iso: string;
}

/** Nanoseconds of the units, with the digits that a number of the unit has at most. */
const units = [
  { digits: 11, nanoseconds: 1_000_000_000n },
  { digits: 14, nanoseconds: 1_000_000n },
  { digits: 17, nanoseconds: 1000n },
  { digits: 19, nanoseconds: 1n },
];

/**
 * Reads a number as a Unix timestamp, in nanoseconds since 1970: seconds, milliseconds,
 * microseconds or nanoseconds, told apart by their digits. What looks like a date of the 20th or
 * 21st century is one (`20240305150405`). Undefined for a text that is no number.
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
  // A JSON number of nanoseconds is only right to some hundreds of them.
  return isText || Number.isSafeInteger(value) || fraction ? signed : (signed / 1000n) * 1000n;
}

/** `2024.03`, as which no timestamp is written. */
const yearMonth = /^(?:19|20)\d\d\.(?:0[1-9]|1[0-2])$/;

const decimal = (value: number) => (/e-/.test(String(value)) ? value.toFixed(9) : String(value));

/**
 * The date that digits are: year, day of the year, day, minute, second or millisecond. Short JSON
 * numbers are seconds.
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
