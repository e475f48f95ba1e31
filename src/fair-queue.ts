/** Items that wait, of which each owner's turn comes. */
export interface FairQueue<T> {
  readonly size: number;
  push(owner: string, item: T): void;
  /** The first item of the owner who has used the least; among equals, of who has waited longest. */
  shift(): T | undefined;
  remove(item: T): void;
  /** Notes that an owner's item took so many milliseconds. */
  use(owner: string, ms: number): void;
}

/** Milliseconds after which half of what an owner has used is forgotten. */
const halfLifeMs = 30_000;
/** Less than that counts as nothing. */
const forgottenMs = 10;

/**
 * A queue in which nobody waits longer because another owner has many items in it, or long ones.
 *
 * @param now milliseconds of a clock
 */
export function fairQueue<T>(now: () => number = () => performance.now()): FairQueue<T> {
  /** In the order of their turns; an owner without items is not there. */
  const waiting = new Map<string, T[]>();
  const used = new Map<string, { ms: number; at: number }>();
  let size = 0;

  function usedBy(owner: string): number {
    const known = used.get(owner);
    if (!known) return 0;
    const ms = known.ms * 0.5 ** ((now() - known.at) / halfLifeMs);
    if (ms < forgottenMs) used.delete(owner);
    return ms < forgottenMs ? 0 : ms;
  }

  function nextOwner(): string | undefined {
    let next: string | undefined;
    let least = Infinity;
    for (const owner of waiting.keys()) {
      const ms = usedBy(owner);
      if (ms < least) [next, least] = [owner, ms];
    }
    return next;
  }

  return {
    get size() {
      return size;
    },
    push(owner, item) {
      const items = waiting.get(owner);
      if (items) items.push(item);
      else waiting.set(owner, [item]);
      size += 1;
    },
    shift() {
      const owner = nextOwner();
      if (owner === undefined) return undefined;
      const items = waiting.get(owner)!;
      const item = items.shift()!;
      // A Map keeps the order of insertion: back to the end of the round.
      waiting.delete(owner);
      if (items.length > 0) waiting.set(owner, items);
      size -= 1;
      return item;
    },
    remove(item) {
      for (const [owner, items] of waiting) {
        const at = items.indexOf(item);
        if (at < 0) continue;
        items.splice(at, 1);
        if (items.length === 0) waiting.delete(owner);
        size -= 1;
        return;
      }
    },
    use(owner, ms) {
      for (const known of used.keys()) usedBy(known);
      used.set(owner, { ms: usedBy(owner) + ms, at: now() });
    },
  };
}
