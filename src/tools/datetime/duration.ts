import { Duration } from 'luxon';

const units: Record<string, { unit: string; times: number }> = {
  w: { unit: 'weeks', times: 1 },
  d: { unit: 'days', times: 1 },
  h: { unit: 'hours', times: 1 },
  m: { unit: 'minutes', times: 1 },
  s: { unit: 'seconds', times: 1 },
  ms: { unit: 'milliseconds', times: 1 },
  us: { unit: 'milliseconds', times: 1e-3 },
  µs: { unit: 'milliseconds', times: 1e-3 }, // U+00B5, the micro sign
  μs: { unit: 'milliseconds', times: 1e-3 }, // U+03BC, the Greek letter
  ns: { unit: 'milliseconds', times: 1e-6 },
};
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|[wdhms])/g;
const whole = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|[wdhms]))+)$/;

/**
 * A duration as Go writes it (`-1h30m`, `1.5h`; time.ParseDuration) with days and weeks, or as
 * ISO 8601 does (`P1DT2H`). Undefined for anything else.
 */
export function parseDuration(text: string): Duration | undefined {
  if (/^[+-]?0$/.test(text)) return Duration.fromMillis(0);
  const [, sign, parts] = whole.exec(text) ?? [];
  if (parts === undefined) {
    const iso = Duration.fromISO(text.toUpperCase());
    return iso.isValid ? iso : undefined;
  }
  const total: Record<string, number> = {};
  for (const [, amount, name] of parts.matchAll(part)) {
    const { unit, times } = units[name!]!;
    total[unit] = (total[unit] ?? 0) + Number(amount) * times;
  }
  const duration = Duration.fromObject(total);
  return sign === '-' ? duration.negate() : duration;
}
