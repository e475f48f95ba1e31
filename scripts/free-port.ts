import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that nobody listens on, below those from which systems call out (RFC 6335, 6; Linux: 32768). */
export async function freePort(): Promise<number> {
  const port = randomInt(16_384, 32_768);
  return (await faultOf(port)) ? freePort() : port;
}

/** Why nobody can listen on a port now; undefined when one can. */
export async function faultOf(port: number): Promise<NodeJS.ErrnoException | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  const failed = once(probe, 'error').then(([error]) => error as NodeJS.ErrnoException);
  const error = await Promise.race([once(probe, 'listening').then(() => undefined), failed]);
  probe.close();
  return error;
}
