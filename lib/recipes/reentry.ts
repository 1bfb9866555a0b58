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

  /**
   * Enters what `key` holds already, or what `take` gets. Callers of one key at one time share one `take`; when that
   * one comes to nothing, only its own caller hears of it (it may have asked for no more than one attempt, or have
   * had a shorter time) and the others enter again with a `take` of their own.
   */
  async enter(key: ReentrantKey, take: () => Promise<Hold | null>): Promise<Hold | null> {
    const found = this.#entries.get(key);
    const entry = found ?? { hold: take(), count: 0 };
    this.#entries.set(key, entry);
    entry.count++;
    let hold: Hold | null;
    try {
      hold = await entry.hold;
    } catch (error) {
      this.#forget(key, entry);
      if (found === undefined) throw error;
      return this.enter(key, take);
    }
    if (hold === null || hold.lost.aborted) {
      this.#forget(key, entry);
      return hold === null && found === undefined ? null : this.enter(key, take);
    }
    const leave = () => {
      entry.count--;
      if (entry.count === 0) this.#forget(key, entry);
      return entry.count === 0;
    };
    return this.#view(hold, leave);
  }

  /** Another entry may stand under the key by now. */
  #forget(key: ReentrantKey, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #view(hold: Hold, leave: () => boolean): Hold {
    let released: Promise<void> | null = null;
    const release = () => {
      released ??= leave() ? hold.release() : Promise.resolve();
      return released;
    };
    const { key, session, fencingToken, lost } = hold;
    return { key, session, fencingToken, lost, release, [Symbol.asyncDispose]: release };
  }
}
