/**
 * One strict gate before every cron library: they differ in what they let through, and some take
 * what no cron would. Grammar: five fields, or six with leading seconds; `*`, numbers, names,
 * ranges, steps, lists; `?` for either day field; `L`, `L-3`, `LW` and `15W` for the day of the
 * month;
 * `5L` (the last Friday) and `5#2` (the second) for the day of the week; `@hourly` … `@yearly`.
 */

export interface CronFields {
  second?: string;
  minute: string;
  hour: string;
  day_of_month: string;
  month: string;
  day_of_week: string;
}

export interface CronExpression {
  /** The fields as they were written. */
  fields: CronFields;
  /** The same in the spelling that every library reads alike: no names, no `5/15`. */
  normalized: string;
  /**
   * Whether a day runs that one of the two day fields names. Only when both are restricted, which
   * a field that begins with `*` is not, so `*\/2` neither (crontab(5)): then both have to name it.
   */
  eitherDay: boolean;
  /** `@daily`, in small letters, where one was written. */
  nickname?: string;
}

/** Why an expression is refused, in words for the caller. */
export class CronSyntaxError extends Error {}

const nicknames: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Field {
  name: keyof CronFields;
  label: string;
  min: number;
  max: number;
  names?: { values: string[]; first: number };
  /** Forms that only this field has. */
  special?: RegExp;
}

const fields: Field[] = [
  { name: 'second', label: 'second', min: 0, max: 59 },
  { name: 'minute', label: 'minute', min: 0, max: 59 },
  { name: 'hour', label: 'hour', min: 0, max: 23 },
  {
    name: 'day_of_month',
    label: 'day of month',
    min: 1,
    max: 31,
    special: /^(?:\?|L|L-(?:[1-9]|[12]\d|30)|LW|(?:[1-9]|[12]\d|3[01])W)$/,
  },
  { name: 'month', label: 'month', min: 1, max: 12, names: { values: months, first: 1 } },
  {
    name: 'day_of_week',
    label: 'day of week',
    min: 0,
    max: 7,
    names: { values: weekdays, first: 0 },
    special: /^(?:\?|[0-7]L|[0-7]#[1-5])$/,
  },
];

/** All values of all six fields, one by one, take 600 characters. */
const mostCharacters = 1000;

/** Reads an expression. Throws CronSyntaxError for anything that is not one. */
export function parseExpression(expression: string): CronExpression {
  if (expression.length > mostCharacters) {
    throw new CronSyntaxError(`has more than ${mostCharacters} characters`);
  }
  const trimmed = expression.trim();
  const nickname = trimmed.startsWith('@') ? trimmed.toLowerCase() : undefined;
  const written = nickname ? expanded(nickname) : trimmed;
  const parts = written === '' ? [] : written.split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) {
    throw new CronSyntaxError(
      `has ${parts.length} fields; cron wants 5, or 6 with leading seconds`,
    );
  }
  const used = fields.slice(6 - parts.length);
  return {
    fields: Object.fromEntries(
      used.map(({ name }, i) => [name, parts[i]!]),
    ) as unknown as CronFields,
    normalized: used.map((field, i) => normalizeField(field, parts[i]!)).join(' '),
    eitherDay: [parts.at(-3)!, parts.at(-1)!].every((days) => !/^[*?]/.test(days)),
    ...(nickname && { nickname }),
  };
}

function expanded(nickname: string): string {
  const expression = nicknames[nickname];
  if (expression) return expression;
  throw new CronSyntaxError(
    `has an unknown nickname; known are ${Object.keys(nicknames).join(', ')}`,
  );
}

function normalizeField(field: Field, text: string): string {
  const items = [...new Set(text.split(',').map((item) => normalizeItem(field, item, text)))];
  if (items.length === 1 || !items.includes('*')) return items.join(',');
  // All values; but a field that does not begin with `*` is restricted nevertheless.
  return items[0]!.startsWith('*') ? '*' : `${field.min}-${lastOf(field)}`;
}

/** Of the days of the week, 7 is Sunday again. */
const lastOf = ({ name, max }: Field) => (name === 'day_of_week' ? 6 : max);

function normalizeItem(field: Field, item: string, text: string): string {
  const upper = withoutNames(field, item.toUpperCase());
  if (field.special?.test(upper)) {
    if (upper === '?' && text !== '?') refuse(field, item, '? stands alone');
    // In a list, croner runs `15W` and not `LW`, and cronstrue explains neither.
    if (upper.endsWith('W') && text.includes(',')) refuse(field, item, 'W stands alone');
    if (upper.startsWith('L-') && text.includes(',')) refuse(field, item, 'L-3 stands alone');
    return upper.replace(/^7/, '0');
  }
  const [, base, step] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(upper) ?? refuse(field, item);
  if (step !== undefined && (Number(step) === 0 || Number(step) > field.max)) {
    refuse(field, item, `a step is 1 to ${field.max}`);
  }
  return range(field, base!, item, step !== undefined) + (step === undefined ? '' : `/${step}`);
}

function range(field: Field, base: string, item: string, stepped: boolean): string {
  if (base === '*') return base;
  const [, first, last] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(base) ?? refuse(field, item);
  const from = Number(first);
  const to = last === undefined ? from : Number(last);
  for (const value of [from, to]) {
    if (value < field.min || value > field.max)
      refuse(field, item, `use ${field.min} to ${field.max}`);
  }
  if (from > to) refuse(field, item, 'a range runs upwards');
  if (last !== undefined) return `${from}-${to}`;
  return stepped ? `${from}-${lastOf(field)}` : String(from);
}

/** Names as numbers; Sunday at the end of a range is 7. */
function withoutNames({ names }: Field, item: string): string {
  if (!names) return item;
  return item.replace(/(-?)([A-Z]{3})(?![A-Z])/g, (whole, dash: string, name: string) => {
    const index = names.values.indexOf(name);
    if (index < 0) return whole;
    return dash + (dash && name === 'SUN' ? 7 : index + names.first);
  });
}

function refuse(field: Field, item: string, why = `use ${valuesOf(field)}`): never {
  throw new CronSyntaxError(`has "${item}" for the ${field.label}: ${why}`);
}

function valuesOf({ min, max, names }: Field): string {
  const words = names && ` or ${names.values[0]!} to ${names.values.at(-1)!}`;
  return `${min} to ${max}${words ?? ''}, with * , - and /`;
}
