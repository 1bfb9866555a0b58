/** One hold, entered several times by one owner inside this process. Nothing of it is stored in Consul. */
import type { Hold } from './hold';

/** Names an owner: Node has no threads, so the caller says what counts as one. */
export type ReentrantKey = string | symbol;

interface Entry {
  readonly hold: Promise<Hold | null>;
  count: number;
}

/** Counts entries for each key. The last `release` of a key releases the lock; a lost hold is not entered again. */
export class Reentry {
  readonly #entries = new Map<ReentrantKey, Entry>();

  /** How often `key` is inside right now; 0 when it is not. */
  count(key: ReentrantKey): number {
    return this.#entries.get(key)?.count ?? 0;
  }

  /** Enters what `key` holds already, or what `take` gets. Callers of one key at one time share one `take`. */
  async enter(key: ReentrantKey, take: () => Promise<Hold | null>): Promise<Hold | null> {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { hold: take(), count: 0 };
      this.#entries.set(key, entry);
    }
    entry.count++;
    const leave = (left: Entry) => {
      left.count--;
      if (left.count === 0 && this.#entries.get(key) === left) this.#entries.delete(key);
      return left.count === 0;
    };
    let hold: Hold | null;
    try {
      hold = await entry.hold;
    } catch (error) {
      leave(entry);
      throw error;
    }
    if (hold === null) {
      leave(entry);
      return null;
    }
    if (hold.lost.aborted) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      return this.enter(key, take);
    }
    return this.#view(hold, entry, leave);
  }

  #view(hold: Hold, entry: Entry, leave: (entry: Entry) => boolean): Hold {
    let released: Promise<void> | null = null;
    const release = () => {
      released ??= leave(entry) ? hold.release() : Promise.resolve();
      return released;
    };
    const { key, session, fencingToken, lost } = hold;
    return { key, session, fencingToken, lost, release, [Symbol.asyncDispose]: release };
  }
}
