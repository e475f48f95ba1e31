/**
 * Has work run to its end though its client leaves: the runtime then drops all of a request, `finally`
 * included, but what `waitUntil` was given. So each call gives back what it holds.
 */
export function runToEnd<T>(
  context: Pick<ExecutionContext, 'waitUntil'>,
  work: Promise<T>,
): Promise<T> {
  context.waitUntil(work.catch(() => {}));
  return work;
}
