import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { MiB } from '../tools/tool.ts';

/**
 * Bytes of bodies that may be in an isolate at one time. Its 128 MB are shared by all requests, and
 * the memory for pictures alone takes up to 73 (src/tools/optimize-image).
 */
const room = 24 * MiB;
/** Smaller bodies are not counted: nobody sends enough of them at once to matter. */
const small = MiB / 4;
/** Milliseconds to wait for room, and between two looks: requests cannot wake one another. */
const patience = 10_000;
const pause = 25;

let taken = 0;
const fits = (bytes: number) => taken === 0 || taken + bytes <= room;

/**
 * Waits until a body fits; the returned function gives its place away again.
 * Throws ServiceError `unavailable` after ten seconds.
 */
export async function takeRoom(bytes: number): Promise<() => void> {
  if (bytes < small) return () => {};
  const end = Date.now() + patience;
  while (!fits(bytes)) {
    if (Date.now() > end) {
      throw new ServiceError('unavailable', 'too many large bodies at once; try again soon', {
        retryAfter: 5,
      });
    }
    await sleep(pause);
  }
  taken += bytes;
  return () => {
    taken -= bytes;
  };
}
