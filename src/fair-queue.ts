/** Items that wait, of which each owner's turn comes in rounds. */
export interface FairQueue<T> {
  readonly size: number;
  push(owner: string, item: T): void;
  /** The first item of the owner who has waited longest for a turn. */
  shift(): T | undefined;
  remove(item: T): void;
}

/** A queue in which nobody waits longer because another owner has many items in it. */
export function fairQueue<T>(): FairQueue<T> {
  /** In the order of their turns; an owner without items is not there. */
  const waiting = new Map<string, T[]>();
  let size = 0;
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
      const [next] = waiting;
      if (!next) return undefined;
      const [owner, items] = next;
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
  };
}
