import { z } from 'zod';
import type { Client } from '../context.ts';
import { ServiceError, type FieldError } from '../errors.ts';
import type { Tool } from '../tools/tool.ts';
import { isFull, noteIgnored, noteUnknown, type IgnoredFields } from './ignored-fields.ts';
import { nearest } from './nearest.ts';

/** Takes the fields of an input that its tool does not have. */
type Notes = Pick<Client, 'ignored'>;

/**
 * Validates a body against the schema of a tool, and notes the fields that the tool does not have. Throws
 * ServiceError (422 or the tool's own) that lists the wrong fields.
 */
export function parseInput<T extends Tool>(
  tool: T,
  body: unknown,
  { ignored }: Notes,
): z.output<T['input']> {
  const parsed = tool.input.safeParse(knownFields(tool.input, body, tool, ignored), {
    error: fieldMessage,
  });
  if (parsed.success) return parsed.data as z.output<T['input']>;
  const errors = parsed.error.issues.map((issue) => fieldError(issue, ignored));
  const message = errors.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; ');
  throw new ServiceError(tool.refusesAs ?? 'invalid_input', message, { errors });
}

/** Makes an error from an issue. That of a missing field names the ignored field that was probably meant. */
function fieldError({ path, message }: z.core.$ZodIssue, ignored: IgnoredFields): FieldError {
  const field = path.join('.');
  const [misspelt] = [...ignored].find(([, meant]) => meant === field) ?? [];
  const isMissing = message.startsWith('is required');
  const hint = misspelt !== undefined && isMissing ? `; "${misspelt}" is not a field` : '';
  return { path: field, message: message + hint };
}

/**
 * Returns the message for a missing field and for a value that is not in a list; undefined for other issues, for
 * which Zod's own messages are clear.
 */
export function fieldMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  if (issue.code === 'invalid_value') {
    const values = (issue.values as unknown[]).map(String);
    if (input === undefined) return `is required: one of ${values.join(', ')}`;
    const meant = typeof input === 'string' ? nearest(input, values) : undefined;
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return `must be one of ${values.join(', ')}, not ${shortened(input)}${hint}`;
  }
  if (input === undefined && issue.code === 'invalid_type') {
    return issue.path?.length ? `is required (${issue.expected})` : 'must be a JSON object';
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') return rangeMessage(issue);
  if (issue.code === 'invalid_type') {
    const expected = issue.path?.length ? typeNames[issue.expected] : 'a JSON object';
    return expected && `must be ${expected}, not ${shortened(input)}`;
  }
  return undefined;
}

/** Returns the message for a number out of its range; undefined for the length of strings and lists. */
function rangeMessage(
  issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>,
): string | undefined {
  if (typeof issue.input !== 'number') return undefined;
  const limit =
    issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  return `must be ${limit}, not ${issue.input}`;
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Most characters of a value that an error repeats. */
const maxQuotedCharacters = 60;

/** Returns a value for an error message. */
function shortened(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  if (value.length <= maxQuotedCharacters) return JSON.stringify(value);
  return JSON.stringify(`${value.slice(0, maxQuotedCharacters).toWellFormed()}…`);
}

/**
 * Removes `null` from optional fields, where it means absent, and notes unknown fields. Both concern only the fields
 * of the schema, not free-form data.
 *
 * @param group the path of the object in the input, with a dot at its end; empty for the input itself
 */
function knownFields(
  schema: z.ZodType,
  value: unknown,
  tool: Tool,
  ignored: IgnoredFields,
  group = '',
): unknown {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value;
  const shape = inner.shape as Record<string, z.ZodType>;
  let copy: Record<string, unknown> | undefined;
  for (const [key, given] of Object.entries(value)) {
    if (!Object.hasOwn(shape, key)) {
      if (isFull(ignored)) continue;
      const meant = group === '' ? fieldMeantBy(tool, key, given, value) : undefined;
      if (meant) noteIgnored(ignored, key, meant);
      else noteUnknown(ignored, key, group, Object.keys(shape), () => fieldPaths(tool.input));
      continue;
    }
    if (typeof given !== 'object') continue;
    const field = shape[key]!;
    const kept =
      given === null && field.safeParse(undefined).success
        ? undefined
        : knownFields(field, given, tool, ignored, `${group}${key}.`);
    if (kept === given) continue;
    copy ??= { ...value };
    copy[key] = kept;
  }
  return copy ?? value;
}

/**
 * Returns the field that an unknown one stands for, whatever its name: the file of a form under its name in JSON, or
 * an absent field with a list of values that contains the value.
 */
function fieldMeantBy(
  { input, upload }: Tool,
  name: string,
  value: unknown,
  body: object,
): string | undefined {
  if (name === upload?.field) return upload.as;
  const absent = Object.entries(input.shape).filter(([field]) => !Object.hasOwn(body, field));
  const accepting = absent.filter(([, schema]) => {
    const inner = unwrap(schema as z.ZodType);
    return inner instanceof z.ZodEnum && inner.options.includes(value as string);
  });
  return accepting.length === 1 ? accepting[0]![0] : undefined;
}

/** Returns a schema without its default and optionality. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return wrapped ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

/** Returns the dotted paths of the fields of an object, with those of nested objects. */
export function fieldPaths({ shape }: z.ZodObject, group = ''): string[] {
  return Object.entries(shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const inner = unwrap(field);
    const path = group + name;
    return inner instanceof z.ZodObject ? [path, ...fieldPaths(inner, `${path}.`)] : [path];
  });
}
