import pTimeout from 'p-timeout';
import { ServiceError } from './errors.ts';

/** Awaits the answer of an external service. Logs and throws `unavailable` when it fails or times out. */
export async function orUnavailable<T>(
  answer: Promise<T>,
  timeoutMs: number,
  message: string,
): Promise<T> {
  try {
    return await pTimeout(answer, { milliseconds: timeoutMs });
  } catch (cause) {
    console.error(`${message}: ${String(cause)}`);
    throw new ServiceError('unavailable', `${message}; try again soon`, { retryAfter: 5 });
  }
}
