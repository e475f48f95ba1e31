import { epochNanoseconds, iso, type ZonedTime } from '../zoned-time.ts';
import { goLayout, isGoLayout } from './go.ts';
import { LayoutError } from './layout-error.ts';
import { isMomentLayout, momentLayout } from './moment.ts';
import { layoutNames, namedLayouts } from './names.ts';
import { strftime } from './strftime.ts';
import { unicodeLayout } from './unicode.ts';

const epoch = (divisor: bigint) => (time: ZonedTime) => {
  const nanoseconds = epochNanoseconds(time);
  const rest = ((nanoseconds % divisor) + divisor) % divisor;
  return String((nanoseconds - rest) / divisor);
};

const named: Record<string, (time: ZonedTime) => string> = {
  ISO8601: iso,
  HTTP: ({ date }) => date.toHTTP()!,
  ...Object.fromEntries(
    Object.entries(namedLayouts).map(([name, layout]) => [
      name,
      (time: ZonedTime) => goLayout(time, layout),
    ]),
  ),
  Unix: epoch(1_000_000_000n),
  UnixMilli: epoch(1_000_000n),
  UnixMicro: epoch(1000n),
  UnixNano: epoch(1n),
};
const byName = new Map(Object.entries(named).map(([name, write]) => [name.toLowerCase(), write]));

/**
 * Formats a date by a layout: a named layout, a Go reference layout, strftime, or tokens of Unicode or
 * moment.js. The kind is recognized by its characters: strftime has `%`, Go has digits or `Jan`, `Mon` and
 * `MST`, and moment.js has `YYYY` and `DD`.
 *
 * @throws LayoutError that names the unknown part
 */
export function formatDate(time: ZonedTime, layout: string): string {
  const write = byName.get(layout.toLowerCase());
  if (write) return write(time);
  if (layout.includes('%')) return strftime(time, layout);
  if (isGoLayout(layout)) return goLayout(time, layout);
  const names = `a layout by name is one of ${layoutNames.join(', ')}`;
  if (!/[a-zA-Z]/.test(layout))
    throw new LayoutError(`"${layout}" has no part of a date; ${names}`);
  try {
    return isMomentLayout(layout) ? momentLayout(time, layout) : unicodeLayout(time, layout);
  } catch (error) {
    if (!(error instanceof LayoutError) || !/^\w+$/.test(layout)) throw error;
    throw new LayoutError(`${error.message}; ${names}`);
  }
}
