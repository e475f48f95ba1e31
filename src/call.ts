import { z } from 'zod';
import { ServiceError, type FieldError } from './errors.ts';
import type { Caller } from './account/caller.ts';
import type { Context } from './context.ts';
import { price, type Tool } from './tools/tool.ts';
import type { UnreadBody } from './tools/unread-body.ts';

/**
 * The one way to run a tool, for every door: validate, charge, run, settle.
 *
 * Only an answer is paid for: whatever is thrown gives the credits back.
 * Throws ServiceError for all that the caller can do something about.
 */
export async function call<T extends Tool>(
  tool: T,
  body: unknown,
  caller: Caller,
  context: Context,
): Promise<z.input<T['output']>> {
  const input = parseInput(tool, body);
  return paid(tool, caller, () => tool.run(input, context) as z.input<T['output']>);
}

/** The same for a tool that passes the body on, which is validated after the charge, where it is read. */
export async function forward<T extends Tool>(
  tool: T,
  body: UnreadBody,
  caller: Caller,
  context: Context,
): Promise<z.input<T['output']>> {
  return paid(tool, caller, () => tool.forward!(body, context) as Promise<z.input<T['output']>>);
}

async function paid<T>(tool: Tool, caller: Caller, run: () => T | Promise<T>): Promise<T> {
  const charge = caller.charge(tool.name, tool.credits);
  try {
    // What is dear to run waits for its money; the rest runs while the account is asked.
    if (charge.pending && tool.credits > price.standard) await charge.pending;
    const output = await (charge.pending ? both(charge.pending, run) : run());
    charge.commit();
    return output;
  } catch (error) {
    charge.cancel();
    throw asServiceError(error);
  }
}

/** Waits for both, so that neither is left unheard; a refused charge speaks before a failed tool. */
async function both<T>(charge: Promise<void>, run: () => T | Promise<T>): Promise<T> {
  const [paid, ran] = await Promise.allSettled([charge, (async () => run())()]);
  if (paid.status === 'rejected') throw paid.reason;
  if (ran.status === 'rejected') throw ran.reason;
  return ran.value;
}

/** Deep enough recursion in any parser ends here, and is the input's doing. */
function asServiceError(error: unknown): unknown {
  if (error instanceof RangeError && error.message.includes('call stack')) {
    return new ServiceError('invalid_input', 'the input is nested too deeply', {
      errors: [{ path: '', message: 'is nested too deeply' }],
    });
  }
  return error;
}

/** Checks a body against the tool's schema; a 422 lists the fields that are wrong. */
export function parseInput<T extends Tool>(tool: T, body: unknown): z.output<T['input']> {
  const parsed = tool.input.safeParse(withoutNulls(tool.input, body));
  if (parsed.success) return parsed.data as z.output<T['input']>;
  const errors = parsed.error.issues.map(fieldError);
  const message = errors.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; ');
  throw new ServiceError(tool.refusesAs ?? 'invalid_input', message, { errors });
}

const fieldError = (issue: z.core.$ZodIssue): FieldError => ({
  path: issue.path.join('.'),
  message: issue.message,
});

z.config({ customError: explain, jitless: true });

/** Zod's own messages are good but for a field that is not there. */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input !== undefined) return undefined;
  if (issue.code === 'invalid_value') {
    return `is required: one of ${(issue.values as unknown[]).join(', ')}`;
  }
  if (issue.code === 'invalid_type') {
    return issue.path?.length ? `is required (${issue.expected})` : 'must be a JSON object';
  }
  return undefined;
}

/** `null` for an optional field means absent; follows the schema, so that data keeps its nulls. */
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

/** A schema without its default or optionality. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return wrapped ? unwrap(schema.unwrap() as z.ZodType) : schema;
}
