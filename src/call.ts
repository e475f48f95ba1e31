import pTimeout, { TimeoutError } from 'p-timeout';
import { z } from 'zod';
import { clientLeft, ServiceError, tookTooLong, type FieldError } from './errors.ts';
import type { Caller } from './account/caller.ts';
import { beginHeavyCall } from './account/under-way.ts';
import type { Client, Context, DoorContext } from './context.ts';
import { bodyArrivesWithinMs } from './http/body.ts';
import { fromAnswer, type Answer } from './tools/answer.ts';
import { noteUnknown, type IgnoredFields } from './ignored-fields.ts';
import { argumentsIn } from './mcp-message.ts';
import { nearest } from './nearest.ts';
import { fieldPaths, unwrap } from './tools/schema.ts';
import { isHeavy, price, type Tool } from './tools/tool.ts';
import { unreadBodyOf, type UnreadBody } from './tools/unread-body.ts';
import { requireWellFormed } from './well-formed.ts';
import { lightBodyBytes, type Job, type Workshop } from './workshop/workshop.ts';

/**
 * The one way to run a tool here, for every door: validate, charge, run, settle.
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
  const input = parseInput(tool, body, context.client);
  return paid(tool, caller, context, () => runHere(tool, input, context));
}

/** The same for a tool that passes the body on, which is validated after the charge, where it is read. */
export async function forward<T extends Tool>(
  tool: T,
  body: UnreadBody,
  caller: Caller,
  context: Context,
): Promise<z.input<T['output']>> {
  const limitMs = tool.seconds * 1000 + bodyArrivesWithinMs(body.length ?? tool.bodyLimit ?? 0);
  return paid(tool, caller, context, () => {
    const running = tool.forward!(body, context) as Promise<z.input<T['output']>>;
    return limited(tool, context.client, running, limitMs);
  });
}

/** The same in the workshop, which reads and validates the body: charges, runs it there, settles. */
export async function callInWorkshop(
  workshop: Workshop,
  job: Job,
  caller: Caller,
  context: Context,
): Promise<Answer> {
  const { tool } = job;
  return paid(
    tool,
    caller,
    context,
    // The workshop keeps the time, which begins when the body is there and it is the call's turn.
    () => limited(tool, context.client, workshop.run(job), Infinity),
    async () => void (await workshop.run({ ...job, checkOnly: true })),
  );
}

/** Runs a tool where it belongs, on an input that a door has read: charges, runs, settles. */
export async function callWithInput(
  tool: Tool,
  input: unknown,
  caller: Caller,
  context: DoorContext,
): Promise<unknown> {
  const { workshop } = context;
  if (!workshop || !belongsInWorkshop(tool, textLength(input))) {
    return call(tool, input, caller, context);
  }
  parseInput(tool, input, context.client);
  const job = { tool, body: await unreadBodyOf(tool, input as object) };
  return fromAnswer(tool, await callInWorkshop(workshop, job, caller, context));
}

/** Whether a call is to run in the workshop, if there is one. @param size of its body in bytes */
export const belongsInWorkshop = ({ runsIn }: Tool, size: number): boolean =>
  runsIn === 'workshop' || (runsIn === 'front' && size > lightBodyBytes);

/** The same for a call in an MCP message that the front has not read. */
export async function callInMessage(
  tool: Tool,
  message: Uint8Array<ArrayBuffer>,
  place: number,
  caller: Caller,
  context: DoorContext,
): Promise<unknown> {
  const workshop = context.workshop!;
  if (tool.runsIn === 'outside') {
    const input = argumentsIn(await new Response(message).json(), place);
    requireWellFormed(input);
    return call(tool, input, caller, context);
  }
  const type = 'application/json';
  const body = { kind: 'message', type, body: message, length: message.length, place } as const;
  return fromAnswer(tool, await callInWorkshop(workshop, { tool, body }, caller, context));
}

/** Characters and bytes in an input's own fields; the light tools have no others. */
function textLength(input: unknown): number {
  let length = 0;
  for (const value of Object.values(input ?? {})) {
    if (typeof value === 'string' || value instanceof Uint8Array) length += value.length;
  }
  return length;
}

/** Runs a tool in this isolate. Throws `timeout` when it waits for longer than its limit. */
export async function runHere<T extends Tool>(
  tool: T,
  input: z.output<T['input']>,
  context: Context,
): Promise<z.input<T['output']>> {
  try {
    const running = tool.run(input, context) as z.input<T['output']>;
    // The light tools wait for nothing, and a timer has its cost.
    return await (tool.runsIn === 'front' ? running : limited(tool, context.client, running));
  } catch (error) {
    throw error instanceof RangeError && error.message.includes('call stack') ? tooDeep() : error;
  }
}

/**
 * Waits for a tool, but not after its time limit, and not after its client has left: whatever the tool
 * still does then, the call gives back at once what it holds.
 */
async function limited<T>(
  { name, seconds }: Tool,
  { signal }: Client,
  running: T | Promise<T>,
  milliseconds = seconds * 1000,
): Promise<T> {
  return pTimeout(Promise.resolve(running), { milliseconds, signal }).catch((error: unknown) => {
    if (signal.aborted) throw clientLeft();
    throw error instanceof TimeoutError ? tookTooLong(name, seconds) : error;
  });
}

/** Deep enough recursion in any parser ends in a RangeError, and is the input's doing. */
const tooDeep = () =>
  new ServiceError('invalid_input', 'the input is nested too deeply', {
    errors: [{ path: '', message: 'is nested too deeply' }],
  });

/** @param check validates the input, for a tool that would do so only while it runs */
async function paid<T>(
  tool: Tool,
  caller: Caller,
  context: Context,
  run: () => T | Promise<T>,
  check?: () => Promise<void>,
): Promise<T> {
  using _place =
    isHeavy(tool) && caller.account
      ? beginHeavyCall(caller.account, context.heavyCalls)
      : undefined;
  const charge = caller.charge(tool.name, tool.credits);
  try {
    if (charge.pending && check) {
      await charge.pending.catch(async (refusal: unknown) => {
        // Whoever sent an input that cannot be used hears of that before hearing of credits.
        if (isOutOfCredits(refusal)) await check();
        throw refusal;
      });
    }
    // What is dear to run waits for its money; the rest runs while the account is asked.
    else if (charge.pending && tool.credits > price.standard) await charge.pending;
    const output = await (charge.pending && !check ? both(charge.pending, run) : run());
    charge.commit();
    return output;
  } finally {
    charge.cancel();
  }
}

const isOutOfCredits = (error: unknown) =>
  error instanceof ServiceError && error.code === 'insufficient_credits';

/** Waits for both, so that neither is left unheard; a refused charge speaks before a failed tool. */
async function both<T>(charge: Promise<void>, run: () => T | Promise<T>): Promise<T> {
  const [paid, ran] = await Promise.allSettled([charge, (async () => run())()]);
  if (paid.status === 'rejected') throw paid.reason;
  if (ran.status === 'rejected') throw ran.reason;
  return ran.value;
}

/**
 * Checks a body against the tool's schema, and notes the fields that the tool does not have; a 422 lists
 * the fields that are wrong.
 */
export function parseInput<T extends Tool>(
  tool: T,
  body: unknown,
  client: Pick<Client, 'ignored'>,
): z.output<T['input']> {
  const parsed = tool.input.safeParse(knownFields(tool.input, body, tool, client));
  if (parsed.success) return parsed.data as z.output<T['input']>;
  const errors = parsed.error.issues.map((issue) => fieldError(issue, client.ignored));
  const message = errors.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; ');
  throw new ServiceError(tool.refusesAs ?? 'invalid_input', message, { errors });
}

/** A field that is not there may have come under a misspelt name. */
function fieldError({ path, message }: z.core.$ZodIssue, ignored: IgnoredFields): FieldError {
  const field = path.join('.');
  const [misspelt] = [...ignored].find(([, meant]) => meant === field) ?? [];
  const isMissing = message.startsWith('is required');
  const hint = misspelt !== undefined && isMissing ? `; "${misspelt}" is not a field` : '';
  return { path: field, message: message + hint };
}

z.config({ customError: explain, jitless: true });

/** Zod's own messages are good but for a field that is not there, and a value that is none of a list. */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  if (issue.code === 'invalid_value') {
    const values = (issue.values as unknown[]).map(String);
    if (input === undefined) return `is required: one of ${values.join(', ')}`;
    const meant = typeof input === 'string' ? nearest(input, values) : undefined;
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return `must be one of ${values.join(', ')}, not ${inWords(input)}${hint}`;
  }
  if (input === undefined && issue.code === 'invalid_type') {
    return issue.path?.length ? `is required (${issue.expected})` : 'must be a JSON object';
  }
  return undefined;
}

/** A value that was sent, short enough for an error. */
function inWords(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60).toWellFormed()}…` : value);
}

/**
 * An input as its schema is to see it: `null` for an optional field means absent. Notes the fields that are
 * not in the schema. Follows the schema, so that data with names of their own keeps its nulls and names.
 */
function knownFields(
  schema: z.ZodType,
  value: unknown,
  tool: Tool,
  client: Pick<Client, 'ignored'>,
  group = '',
): unknown {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value;
  const shape = inner.shape as Record<string, z.ZodType>;
  let copy: Record<string, unknown> | undefined;
  for (const [key, given] of Object.entries(value)) {
    if (!Object.hasOwn(shape, key)) {
      noteUnknown(client.ignored, key, group, Object.keys(shape), () => fieldPaths(tool.input));
      continue;
    }
    if (typeof given !== 'object') continue;
    const field = shape[key]!;
    const kept =
      given === null && field.safeParse(undefined).success
        ? undefined
        : knownFields(field, given, tool, client, `${group}${key}.`);
    if (kept === given) continue;
    copy ??= { ...value };
    copy[key] = kept;
  }
  return copy ?? value;
}
