/**
 * Runs work to its end even if the client disconnects. After a disconnect the runtime cancels the request and
 * runs no `finally` block, except in promises passed to `waitUntil`. So calls always release their resources.
 */
export function runToEnd<T>(
  context: Pick<ExecutionContext, 'waitUntil'>,
  work: Promise<T>,
): Promise<T> {
  context.waitUntil(work.catch(() => {}));
  return work;
}
