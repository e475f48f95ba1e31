import pTimeout, { TimeoutError } from 'p-timeout';
import { z } from 'zod';
import { clientLeft, ServiceError, tookTooLong } from './errors.ts';
import type { Caller } from './account/caller.ts';
import { beginHeavyCall } from './account/under-way.ts';
import type { Client, Context, DoorContext } from './context.ts';
import { bodyArrivesWithinMs } from './shared/body-stream.ts';
import { fromAnswer, type Answer } from './tools/answer.ts';
import { argumentsIn } from './mcp-message.ts';
import { isHeavy, price, type Tool } from './tools/tool.ts';
import { unreadBodyOf, type UnreadBody } from './tools/unread-body.ts';
import { fieldMessage, parseInput } from './shared/input.ts';
import { requireWellFormed } from './shared/lone-surrogates.ts';
import { lightBodyBytes, type Job, type Workshop } from './workshop/workshop.ts';

/**
 * Runs a tool in this isolate, for HTTP, MCP and RPC alike: validates, charges, runs, settles.
 *
 * Only a successful call costs credits: any error returns them.
 * Throws ServiceError for every error that the caller can correct.
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

/** Calls a tool that forwards its body. The body is validated where it is read, after the charge. */
export async function callForwarding<T extends Tool>(
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

/** Calls a tool in the workshop, which reads and validates the body: charges, runs, settles. */
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
    // The workshop enforces the time limit, which begins after the body has arrived and a process is free.
    () => limited(tool, context.client, workshop.run(job), Infinity),
    async () => void (await workshop.run({ ...job, checkOnly: true })),
  );
}

/** Calls a tool with an input that has been parsed, in this isolate or in the workshop. */
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

/** Whether a call runs in the workshop, if there is one. @param size of the body in bytes */
export const belongsInWorkshop = ({ runsIn }: Tool, size: number): boolean =>
  runsIn === 'workshop' || (runsIn === 'front' && size > lightBodyBytes);

/** Calls a tool with the arguments in an MCP message that the front has not parsed. */
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

/** Sums the lengths of an input's top-level strings and bytes. Light tools have no nested ones. */
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
    // Light tools do not wait for anything, so they need no timer.
    return await (tool.runsIn === 'front' ? running : limited(tool, context.client, running));
  } catch (error) {
    throw error instanceof RangeError && error.message.includes('call stack') ? tooDeep() : error;
  }
}

/**
 * Waits for a tool until its time limit, or until its client disconnects. The call then releases its reservations at
 * once, even if the tool is still running.
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

/** The error for an input whose nesting exhausts the stack of a parser, which throws a RangeError. */
const tooDeep = () =>
  new ServiceError('invalid_input', 'the input is nested too deeply', {
    errors: [{ path: '', message: 'is nested too deeply' }],
  });

/** Charges, runs and settles. @param check validates the input of a tool that otherwise validates it while running */
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
        // An invalid input is a 422 rather than a 402.
        if (isOutOfCredits(refusal)) await check();
        throw refusal;
      });
    }
    // Expensive tools wait for the charge. Other tools run at the same time.
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

/** Waits for both, so that no rejection is unhandled. Throws the error of the charge before that of the tool. */
async function both<T>(charge: Promise<void>, run: () => T | Promise<T>): Promise<T> {
  const [paid, ran] = await Promise.allSettled([charge, (async () => run())()]);
  if (paid.status === 'rejected') throw paid.reason;
  if (ran.status === 'rejected') throw ran.reason;
  return ran.value;
}

// Also for schemas of admin routes and pages, which do not use `parseInput`.
z.config({ customError: fieldMessage, jitless: true });
