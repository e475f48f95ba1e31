import { call } from '../../src/call.ts';
import { env } from 'cloudflare:workers';
import { anonymous } from '../../src/account/caller.ts';
import { contextOf } from '../../src/context.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Tool } from '../../src/tools/tool.ts';
import type { z } from 'zod';

/** A context with workerd's storage and the services of test/outside.ts. */
export const context = contextOf(env, 'http://service/', {
  account: undefined,
  requestId: 'test',
  signal: new AbortController().signal,
  ignored: new Map(),
});

/** Runs a tool by `call`, without an account. */
export function run<T extends Tool>(
  tool: T,
  input: z.input<T['input']>,
): Promise<z.input<T['output']>> {
  return call(tool, input, anonymous, context);
}

/** Returns the error with which a tool refuses an input. Throws if the tool accepts it. */
export async function refusal(
  tool: Tool,
  input: unknown,
): Promise<{ status: number; code: string; message: string; path: string }> {
  try {
    await call(tool, input, anonymous, context);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, code, message, errors } = error;
    return { status, code, message, path: errors?.[0]?.path ?? '' };
  }
  throw new Error(`${tool.name} took ${JSON.stringify(input).slice(0, 200)}`);
}
