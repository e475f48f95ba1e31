import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { MiB } from '../tools/tool.ts';

/**
 * Bytes of bodies that may be in an isolate at one time. Its 128 MB are shared by all requests, and
 * the memory for pictures alone takes up to 73 (src/tools/optimize-image).
 */
const roomBytes = 24 * MiB;
/** What of it one account leaves to others, as soon as it has one body in it: the largest usual body. */
const leftToOthersBytes = 10 * MiB;
/** Bytes of bodies that come without a key, beside those: nobody who pays waits for them. */
const keylessRoomBytes = 10 * MiB;
/** Smaller bodies are not counted: nobody sends enough of them at once to matter. */
const uncountedBytes = MiB / 4;
/** Milliseconds to wait for room, and between two looks: requests cannot wake one another. */
const waitMs = 10_000;
const pauseMs = 25;
/** Milliseconds after which a place counts as free, whatever became of the call that took it. */
const placeLifetimeMs = 10 * 60_000;

interface Place {
  bytes: number;
  /** Undefined for a caller without a key. */
  account: string | undefined;
  takenAt: number;
}

const places = new Set<Place>();

/** The places that a call holds. Disposing of it gives them away again. */
export interface Room extends Disposable {
  /** Waits until so many bytes fit. Throws ServiceError `unavailable` after ten seconds. */
  take(bytes: number): Promise<void>;
}

/** Room for the bodies of a call. @param account undefined for a caller without a key */
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
    await sleep(pauseMs);
  }
  const place = { bytes, account, takenAt: Date.now() };
  places.add(place);
  return place;
}

/** A body that is larger than the whole room fits when nothing else is in it. */
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
