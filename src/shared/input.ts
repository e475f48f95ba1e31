import { z } from 'zod';
import { ServiceError, type FieldError } from '../errors.ts';
import type { Tool } from '../tools/tool.ts';

/**
 * Validates a body against the schema of a tool. Throws ServiceError (422 or the tool's own) that lists the
 * wrong fields.
 */
export function parseInput<T extends Tool>(tool: T, body: unknown): z.output<T['input']> {
  const parsed = tool.input.safeParse(withoutNulls(tool.input, body), {
    error: requiredFieldMessage,
  });
  if (parsed.success) return parsed.data as z.output<T['input']>;
  const errors = parsed.error.issues.map(fieldError);
  const message = errors.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; ');
  throw new ServiceError(tool.refusesAs ?? 'invalid_input', message, { errors });
}

const fieldError = (issue: z.core.$ZodIssue): FieldError => ({
  path: issue.path.join('.'),
  message: issue.message,
});

/**
 * Returns the message for a missing field; undefined for other issues, for which Zod's own messages are clear.
 */
export function requiredFieldMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input !== undefined) return undefined;
  if (issue.code === 'invalid_value') {
    return `is required: one of ${(issue.values as unknown[]).join(', ')}`;
  }
  if (issue.code === 'invalid_type') {
    return issue.path?.length ? `is required (${issue.expected})` : 'must be a JSON object';
  }
  return undefined;
}

/**
 * Removes `null` from optional fields, where it means absent. Only fields of the schema are changed, not
 * free-form data.
 */
function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value;
  const shape = inner.shape as Record<string, z.ZodType>;
  let copy: Record<string, unknown> | undefined;
  for (const [key, given] of Object.entries(value)) {
    const field = typeof given === 'object' && Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!field) continue;
    const kept =
      given === null && field.safeParse(undefined).success ? undefined : withoutNulls(field, given);
    if (kept === given) continue;
    copy ??= { ...value };
    copy[key] = kept;
  }
  return copy ?? value;
}

/** Returns a schema without its default and optionality. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return wrapped ? unwrap(schema.unwrap() as z.ZodType) : schema;
}
