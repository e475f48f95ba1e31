/** A queue that is fair between the owners of its items. */
interface FairQueue<T> {
  readonly size: number;
  push(owner: string, item: T): void;
  /**
   * Removes the first item of the owner with the least usage; among equals, of the owner that waits longest.
   */
  shift(): T | undefined;
  remove(item: T): void;
  /** Adds milliseconds of processing to the usage of an owner. */
  use(owner: string, ms: number): void;
}

/** Half-life in milliseconds of an owner's usage. */
const halfLifeMs = 30_000;
/** Usage in milliseconds below which it counts as none and is deleted. */
const negligibleMs = 10;

/**
 * Creates a queue in which no owner waits longer because another owner has many or long items.
 *
 * @param now returns the time in milliseconds
 */
export function fairQueue<T>(now: () => number = () => performance.now()): FairQueue<T> {
  /** The owners with waiting items, in the order of their turns. */
  const waiting = new Map<string, T[]>();
  const used = new Map<string, { ms: number; at: number }>();
  let size = 0;

  function usedBy(owner: string): number {
    const known = used.get(owner);
    if (!known) return 0;
    const ms = known.ms * 0.5 ** ((now() - known.at) / halfLifeMs);
    if (ms < negligibleMs) used.delete(owner);
    return ms < negligibleMs ? 0 : ms;
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
      // Deleting and setting moves the owner to the end, because a Map keeps the order of insertion.
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
