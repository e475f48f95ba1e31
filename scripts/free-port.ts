import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns a free port below the ephemeral ports (RFC 6335, 6; Linux: from 32768), which the system assigns. */
export async function freePort(): Promise<number> {
  const port = randomInt(16_384, 32_768);
  return (await faultOf(port)) ? freePort() : port;
}

/** Returns the error of listening on a port; undefined if the port is free. */
export async function faultOf(port: number): Promise<NodeJS.ErrnoException | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  const failed = once(probe, 'error').then(([error]) => error as NodeJS.ErrnoException);
  const error = await Promise.race([once(probe, 'listening').then(() => undefined), failed]);
  probe.close();
  return error;
}
