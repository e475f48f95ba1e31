/**
 * Parses cron expressions for all cron libraries of the tool, because they accept different expressions, and
 * some accept expressions that no cron accepts.
 *
 * Grammar: five fields, or six with leading seconds; `*`, numbers, names, ranges, steps, lists; `?` for a day
 * field; `L`, `L-3`, `LW` and `15W` for the day of the month; `5L` (the last Friday) and `5#2` (the second
 * Friday) for the day of the week; `@hourly` … `@yearly`.
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
  /** The text of each field. */
  fields: CronFields;
  /** The expression in the syntax that all libraries share: without names and without `5/15`. */
  normalized: string;
  /**
   * Whether a day that matches either of the two day fields runs. This is the case if both fields are
   * restricted. A field that begins with `*`, even `*\/2`, is not restricted (crontab(5)); a day must then
   * match both fields.
   */
  eitherDay: boolean;
  /** The nickname, such as `@daily`, in small letters. */
  nickname?: string;
}

/** An invalid expression. The message is for the caller. */
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
  /** Matches forms that only this field allows. */
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

/** Largest length of an expression. A list of all values of all six fields has 600 characters. */
const maxCharacters = 1000;

/** Parses an expression. Throws CronSyntaxError. */
export function parseExpression(expression: string): CronExpression {
  if (expression.length > maxCharacters) {
    throw new CronSyntaxError(`has more than ${maxCharacters} characters`);
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
  // The field has all values, but it is restricted if it does not begin with `*`.
  return items[0]!.startsWith('*') ? '*' : `${field.min}-${lastOf(field)}`;
}

/** Returns the last value of a field. The day of the week 7 is Sunday, as 0 is. */
const lastOf = ({ name, max }: Field) => (name === 'day_of_week' ? 6 : max);

function normalizeItem(field: Field, item: string, text: string): string {
  const upper = withoutNames(field, item.toUpperCase());
  if (field.special?.test(upper)) {
    if (upper === '?' && text !== '?') refuse(field, item, '? stands alone');
    // In a list, croner supports `15W` but not `LW`, and cronstrue supports neither.
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

/** Replaces names by numbers. Sunday at the end of a range becomes 7. */
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
