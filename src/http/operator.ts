import { timingSafeEqual } from 'hono/utils/buffer';
import { registryOf } from '../account/registry.ts';
import { ServiceError } from '../errors.ts';
import { addressOf, type Asked } from './address.ts';

/** Milliseconds that a wrong secret waits for its answer. */
const slowness = 1000;

/**
 * Whether this is the operator's secret; without one nothing is. Wrong ones are answered late, and an
 * address that has sent too many gets 429 for a while, whatever it sends.
 */
export async function isOperatorSecret(secret: string, c: Asked): Promise<boolean> {
  const expected = c.env.ADMIN_SECRET;
  const right = Boolean(expected) && (await timingSafeEqual(secret, expected!));
  const wait = await registryOf(c.env).guessed(addressOf(c), right);
  if (wait > 0) {
    const message = `too many wrong secrets from your address; try again in ${wait} s`;
    throw new ServiceError('rate_limited', message, { retryAfter: wait });
  }
  if (!right) await scheduler.wait(slowness);
  return right;
}
