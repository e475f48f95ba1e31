import { fractionOf, offsetSeconds, offsetText, type ZonedTime } from '../zoned-time.ts';
import { abbreviation } from './abbreviation.ts';
import { LayoutError } from './layout-error.ts';

/** Chunks of Go's reference time, Mon Jan 2 15:04:05 MST 2006 (package time, format.go). */
const chunks =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|[-Z]07:00:00|[-Z]070000|[-Z]07:00|[-Z]0700|[-Z]07|[.,](?:0+|9+)(?!\d)|002|__2|_2(?!006)|0[1-6]|15|PM|pm|[1-5]/g;

const tokens: Record<string, string> = {
  January: 'MMMM',
  Jan: 'MMM',
  Monday: 'cccc',
  Mon: 'ccc',
  '2006': 'yyyy',
  '06': 'yy',
  '01': 'MM',
  '1': 'M',
  '02': 'dd',
  '2': 'd',
  '002': 'ooo',
  '15': 'HH',
  '03': 'hh',
  '3': 'h',
  '04': 'mm',
  '4': 'm',
  '05': 'ss',
  '5': 's',
  PM: 'a',
};

/**
 * Whether a layout is a Go layout: it has digits, or names from the reference time. A single word with other
 * letters is not a Go layout (`RFC2822` contains `2`).
 */
export function isGoLayout(layout: string): boolean {
  const isWord = /^[a-zA-Z]\w*$/.test(layout);
  return isWord ? !/[a-zA-Z]/.test(layout.replace(chunks, '')) : /\d|Jan|Mon|MST/.test(layout);
}

/** Formats a date by a Go reference layout. Throws LayoutError. */
export function goLayout(time: ZonedTime, layout: string): string {
  checkDigits(layout);
  const { date } = time;
  return layout.replace(chunks, (chunk) => {
    const token = tokens[chunk];
    if (token) return date.toFormat(token);
    if (chunk === 'MST') return abbreviation(time);
    if (chunk === 'pm') return date.toFormat('a').toLowerCase();
    if (chunk === '_2') return date.toFormat('d').padStart(2);
    if (chunk === '__2') return date.toFormat('o').padStart(3);
    if (/^[.,]/.test(chunk)) return fraction(time, chunk);
    return offset(time, chunk);
  });
}

/**
 * Throws LayoutError for digits that are not part of the reference time. Go would copy some digits and
 * interpret others: 2024 would be day, a zero, day and minute. Literal zeros are allowed (`15:00`).
 */
function checkDigits(layout: string) {
  const stray = /[1-9]/.test(layout.replace(chunks, ' ').replace(/0+/g, ' '));
  const glued = layout.match(/\d+/g)?.some((digits) => {
    const parts = digits.match(chunks) ?? [];
    return parts.length > 1 && parts.some((part) => part.length === 1);
  });
  if (!stray && !glued) return;
  throw new LayoutError(
    `"${layout}" has digits that are no part of Go's reference time; write the date Mon Jan 2 15:04:05 MST 2006`,
  );
}

/** Formats a fraction of a second: `.000` has exactly three digits, `.999` drops trailing zeros. */
function fraction(time: ZonedTime, chunk: string): string {
  const wanted = fractionOf(time)
    .padEnd(chunk.length - 1, '0')
    .slice(0, chunk.length - 1);
  if (chunk[1] === '0') return chunk[0] + wanted;
  const trimmed = wanted.replace(/(?<!0)0+$/, '');
  return trimmed && chunk[0] + trimmed;
}

/** Formats an offset by `-07:00` and similar chunks. With `Z07:00`, UTC is `Z`. */
function offset(time: ZonedTime, chunk: string): string {
  if (chunk.startsWith('Z') && offsetSeconds(time) === 0) return 'Z';
  const text = offsetText(time, '');
  const [sign, hours, minutes, seconds] = [
    text[0]!,
    text.slice(1, 3),
    text.slice(3, 5),
    text.slice(5) || '00',
  ];
  const parts = [hours, minutes, seconds].slice(
    0,
    Math.floor(chunk.replaceAll(':', '').length / 2),
  );
  return sign + parts.join(chunk.includes(':') ? ':' : '');
}
