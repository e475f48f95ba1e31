import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anonymous } from '../../src/account/caller.ts';
import { call } from '../../src/call.ts';
import { ServiceError } from '../../src/errors.ts';
import { tools } from '../../src/tools/index.ts';
import type { RewriteRequest } from '../../src/text-model/engine.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { inputsOf } from './inputs.ts';
import { context } from './run.ts';

/**
 * A context without a browser, because hundreds of pages would take minutes, and in which texts that only a
 * model can rewrite stay unchanged instead of being a 503. test/e2e tests both.
 */
const textEngine = await context.textEngine;
const blind = {
  ...context,
  browser: { screenshot: () => Promise.resolve(new Uint8Array(1)) },
  textEngine: {
    ...textEngine,
    rewrite: (order: RewriteRequest) => textEngine.rewrite(order).catch(() => order.text),
  },
};

describe.each((tools as readonly Tool[]).map((tool) => [tool.name, tool] as const))(
  '%s',
  (_, tool) => {
    const examples = tool.examples.filter(({ needsInternet }) => !needsInternet);
    it.each(examples.map((example) => [example.title, example] as const))(
      'answers its example "%s" in its own output schema',
      async (_title, { input }) => {
        const output = await call(tool, input, anonymous, context);
        expect(tool.output.safeParse(output).error).toBeUndefined();
      },
    );

    it('never fails by its own fault, and never answers outside its schema', async () => {
      await fc.assert(
        fc.asyncProperty(inputsOf(tool), async (input) => {
          const outcome = await call(tool, input, anonymous, blind).catch(
            (error: unknown) => error,
          );
          if (outcome instanceof ServiceError) {
            expect([400, 413, 422]).toContain(outcome.status);
            expect(outcome.message).not.toBe('');
          } else {
            expect(outcome).not.toBeInstanceOf(Error);
            expect(tool.output.safeParse(outcome).error).toBeUndefined();
          }
        }),
        { numRuns: 150 },
      );
    });
  },
);
