import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { BodyRoom } from '../shared/body-stream.ts';
import { MiB } from '../tools/tool.ts';

/**
 * Largest number of bytes of bodies in one isolate. All requests share the isolate's 128 MB, and pictures
 * alone take up to 73 MB (src/tools/optimize-image).
 */
const roomBytes = 24 * MiB;
/** Bytes that one account leaves free for other accounts: the size of the largest usual body. */
const leftToOthersBytes = 10 * MiB;
/** A separate budget for bodies without a key, so that callers with a key never wait for them. */
const keylessRoomBytes = 10 * MiB;
/** Bodies below this size are not counted, because many of them at once still take little memory. */
const uncountedBytes = MiB / 4;
/** Milliseconds after which a call that waits for room is refused. */
const waitMs = 10_000;
/** Milliseconds between two checks for room. A request cannot wake another request in workerd. */
const checkIntervalMs = 25;
/** Milliseconds after which a place is freed, because workerd may cancel its request without `finally`. */
const placeLifetimeMs = 10 * 60_000;

interface Place {
  bytes: number;
  /** Undefined for a caller without a key. */
  account: string | undefined;
  takenAt: number;
}

const places = new Set<Place>();

/** The memory that a call has reserved for bodies. Disposing of the room frees it. */
export interface Room extends BodyRoom, Disposable {}

/** Creates a room for the bodies of a call. @param account undefined for a caller without a key */
export function roomFor(account: string | undefined): Room {
  const held: Place[] = [];
  return {
    async take(bytes) {
      if (bytes >= uncountedBytes) held.push(await placeFor(bytes, account));
    },
    [Symbol.dispose]() {
      for (const place of held) places.delete(place);
    },
  };
}

async function placeFor(bytes: number, account: string | undefined): Promise<Place> {
  const end = Date.now() + waitMs;
  while (!fits(bytes, account)) {
    if (Date.now() > end) {
      throw new ServiceError('unavailable', 'too many large bodies at once; try again soon', {
        retryAfter: 5,
      });
    }
    await sleep(checkIntervalMs);
  }
  const place = { bytes, account, takenAt: Date.now() };
  places.add(place);
  return place;
}

/**
 * Whether a body fits. A body that is larger than the budget fits when the account, or the isolate, has no
 * other.
 */
function fits(bytes: number, account: string | undefined): boolean {
  const oldest = Date.now() - placeLifetimeMs;
  let [own, all] = [0, 0];
  for (const place of places) {
    if (place.takenAt < oldest) places.delete(place);
    else if ((place.account === undefined) === (account === undefined)) {
      all += place.bytes;
      if (place.account === account) own += place.bytes;
    }
  }
  const room = account === undefined ? keylessRoomBytes : roomBytes;
  const share = account === undefined ? room : room - leftToOthersBytes;
  return (all === 0 || all + bytes <= room) && (own === 0 || own + bytes <= share);
}
