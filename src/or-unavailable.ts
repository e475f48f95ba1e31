import pTimeout from 'p-timeout';
import { ServiceError } from './errors.ts';

/** What something outside answers; `unavailable` when it fails, or has not answered within so many milliseconds. */
export async function orUnavailable<T>(
  answer: Promise<T>,
  milliseconds: number,
  message: string,
): Promise<T> {
  try {
    return await pTimeout(answer, { milliseconds });
  } catch (cause) {
    console.error(message, cause);
    throw new ServiceError('unavailable', `${message}; try again soon`, { retryAfter: 5 });
  }
}
