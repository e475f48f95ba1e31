import { DateTime, type Zone } from 'luxon';
import { parseDuration } from './duration.ts';
import { DateError, outOfRange, place } from './place.ts';
import { readText } from './text.ts';
import { fromNumber, type Compact } from './timestamp.ts';
import { inZone, plus, zonedTime, type ZonedTime } from './zoned-time.ts';

export interface ParseOptions {
  /** Zone of a text without a zone. */
  zone: Zone;
  /** Whether `03/04/2024` is 3 April; undefined if the caller did not choose. */
  dayFirst: boolean | undefined;
}

/**
 * Parses a date in any form that the tool accepts.
 *
 * @throws DateError that names the wrong part
 */
export function parseDate(value: string | number, options: ParseOptions): ZonedTime {
  const text = typeof value === 'number' ? undefined : normalized(value);
  const number = fromNumber(text ?? (value as number));
  if (typeof number === 'bigint') return inRange(zonedTime(number, options.zone));
  if (number) return fromCompact(number, options);
  return fromWords(text!, options.zone) ?? fromText(text!, options);
}

/**
 * Normalizes characters that documents and browsers use in dates: full-width digits and narrow spaces
 * (Unicode's compatibility forms), the minus sign, and invisible marks.
 */
const normalized = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, '')
    .replaceAll('\u2212', '-')
    .replace(/\s+/g, ' ')
    .trim();

const fromText = (text: string, { zone, dayFirst }: ParseOptions) =>
  inRange(place(readText(text, dayFirst), zone));

function fromCompact({ iso }: Compact, options: ParseOptions): ZonedTime {
  try {
    return fromText(iso, options);
  } catch (error) {
    if (!(error instanceof DateError)) throw error;
    // A text of so few digits is a date, but a JSON number of so few digits is a timestamp.
    const hint = iso.length < 15 ? '; as a JSON number it is a Unix timestamp' : '';
    throw new DateError(error.message + hint);
  }
}

/** Parses `now`, `tomorrow at 3pm`, `in 3 hours`, `2 days ago`. Returns undefined for any other text. */
function fromWords(text: string, zone: Zone): ZonedTime | undefined {
  const now = inZone({ date: DateTime.now().setLocale('en-US'), nanoseconds: 0 }, zone);
  const [, day, time] = /^(yesterday|today|tomorrow)\b(.*)$/i.exec(text) ?? [];
  if (day) {
    const days = ['yesterday', 'today', 'tomorrow'].indexOf(day.toLowerCase()) - 1;
    const date = now.date.plus({ days }).toISODate();
    return fromText(`${date}${time}`, { zone, dayFirst: undefined });
  }
  if (/^now$/i.test(text)) return now;
  const [, ahead = '', after] = /^(?:in|now\s*([-+]))\s*(.+)$/i.exec(text) ?? [];
  const [, before, direction] = /^(.+?)\s+(ago|from now)$/i.exec(text) ?? [];
  const sign = ahead === '-' || direction?.toLowerCase() === 'ago' ? '-' : '';
  const span = parseDuration(`${sign}${after ?? before ?? ''}`);
  return span && inRange(plus(now, span.calendar, span.nanoseconds));
}

function inRange(time: ZonedTime): ZonedTime {
  if (time.date.isValid) return time;
  throw outOfRange();
}
