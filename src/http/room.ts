import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { MiB } from '../tools/tool.ts';

/**
 * Bytes of bodies that may be in an isolate at one time. Its 128 MB are shared by all requests, and
 * the memory for pictures alone takes up to 73 (src/tools/optimize-image).
 */
const roomBytes = 24 * MiB;
/** Smaller bodies are not counted: nobody sends enough of them at once to matter. */
const uncountedBytes = MiB / 4;
/** Milliseconds to wait for room, and between two looks: requests cannot wake one another. */
const waitMs = 10_000;
const pauseMs = 25;
/** Milliseconds after which a place counts as free, whatever became of the call that took it. */
const placeLifetimeMs = 10 * 60_000;

interface Place extends Disposable {
  bytes: number;
  takenAt: number;
}

const places = new Set<Place>();

const none: Disposable = { [Symbol.dispose]() {} };

function fits(bytes: number): boolean {
  let taken = 0;
  for (const place of places) {
    if (Date.now() - place.takenAt > placeLifetimeMs) places.delete(place);
    else taken += place.bytes;
  }
  return taken === 0 || taken + bytes <= roomBytes;
}

/**
 * Waits until a body fits. Disposing of the result gives its place away again.
 * Throws ServiceError `unavailable` after ten seconds.
 */
export async function takeRoom(bytes: number): Promise<Disposable> {
  if (bytes < uncountedBytes) return none;
  const end = Date.now() + waitMs;
  while (!fits(bytes)) {
    if (Date.now() > end) {
      throw new ServiceError('unavailable', 'too many large bodies at once; try again soon', {
        retryAfter: 5,
      });
    }
    await sleep(pauseMs);
  }
  const place = { bytes, takenAt: Date.now(), [Symbol.dispose]: () => void places.delete(place) };
  places.add(place);
  return place;
}
