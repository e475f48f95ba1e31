import { timingSafeEqual } from 'hono/utils/buffer';
import { countCall } from '../account/rate.ts';
import { ServiceError } from '../errors.ts';
import { addressOf, type Asked } from './address.ts';

/** Milliseconds that a wrong guess waits for its answer. */
const wrongGuessDelayMs = 1000;
/** Wrong guesses of one address in a minute that are answered as wrong; more are a 429. */
const wrongGuessesPerMinute = 10;

/** Whether this is the operator's secret, at once if it is, and late if not. Without one nothing is. */
export async function isOperatorSecret(secret: string, c: Asked): Promise<boolean> {
  const expected = c.env.ADMIN_SECRET;
  if (expected && (await timingSafeEqual(secret, expected))) return true;
  await delayWrongGuess(c);
  return false;
}

/**
 * Makes who guessed a secret wrong wait. Throws 429 when an address does so too often.
 *
 * A right secret never gets here, so that nobody can lock its owner out by wrong ones. What keeps it from
 * being found by many guesses side by side is therefore its length, not this limit.
 */
export async function delayWrongGuess(c: Asked): Promise<void> {
  await scheduler.wait(wrongGuessDelayMs);
  const { allowed, reset } = countCall(`wrong guesses of ${addressOf(c)}`, wrongGuessesPerMinute);
  if (allowed) return;
  const message = `more than ${wrongGuessesPerMinute} wrong secrets from your address in a minute`;
  throw new ServiceError('rate_limited', message, { retryAfter: reset });
}
