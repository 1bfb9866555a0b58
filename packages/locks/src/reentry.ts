/** One hold, entered several times by one owner inside this process. Nothing of it is stored in Consul. */
import type { Hold } from './hold';

/** Names an owner: Node has no threads, so the caller decides. */
export type ReentrantKey = string | symbol;

/**
 * How long a caller waits.
 * @internal
 */
export interface Terms {
  /** Where an earlier caller waits, the answer is no. */
  readonly once: boolean;
  /** Ends the wait of this caller alone. */
  readonly signal: AbortSignal;
}

interface Entry {
  readonly hold: Promise<Hold | null>;
  /** `null` before it is there, and after a failure. */
  held: Hold | null;
  /** One attempt without a wait. */
  readonly once: boolean;
  count: number;
}

/**
 * Counts entries for each key. The last `release` of a key releases the lock; a lost hold is not entered again.
 * @internal
 */
export class Reentry {
  readonly #entries = new Map<ReentrantKey, Entry>();

  /** How often `key` is inside right now; 0 while it waits. */
  count(key: ReentrantKey): number {
    const entry = this.#entries.get(key);
    return entry?.held == null ? 0 : entry.count;
  }

  /**
   * Enters the hold of `key`, or the result of `take`; without a key always that. Simultaneous callers of one key share
   * one `take`; when it fails, only its own caller learns of it (it may have allowed one attempt, or less time) and the
   * others enter again with a `take` of their own. Each throws the reason of its own signal.
   */
  async enter(
    key: ReentrantKey | undefined,
    terms: Terms,
    take: () => Promise<Hold | null>,
  ): Promise<Hold | null> {
    if (key === undefined) return take();
    const found = this.#entries.get(key);
    if (found?.held === null) {
      terms.signal.throwIfAborted();
      if (terms.once && !found.once) return null;
    }
    const entry = found ?? this.#begin(key, terms.once, take);
    entry.count++;
    const leave = () => {
      entry.count--;
      if (entry.count === 0) this.#forget(key, entry);
      return entry.count === 0;
    };
    let hold = entry.held;
    try {
      hold ??= await (found === undefined ? entry.hold : this.#join(entry, terms.signal, leave));
    } catch (error) {
      if (found === undefined) throw error;
      terms.signal.throwIfAborted();
      return this.enter(key, terms, take);
    }
    if (hold !== null && !hold.lost.aborted) return this.#view(hold, leave);
    this.#forget(key, entry);
    return hold === null && found === undefined ? null : this.enter(key, terms, take);
  }

  #begin(key: ReentrantKey, once: boolean, take: () => Promise<Hold | null>): Entry {
    const entry: Entry = { hold: take(), held: null, once, count: 0 };
    this.#entries.set(key, entry);
    // Before all who wait for it.
    entry.hold.then(
      (hold) => {
        entry.held = hold;
        if (hold === null) this.#forget(key, entry);
      },
      () => this.#forget(key, entry),
    );
    return entry;
  }

  /** The earlier caller's result, unless `signal` aborts first. */
  #join({ hold }: Entry, signal: AbortSignal, leave: () => boolean): Promise<Hold | null> {
    return new Promise<Hold | null>((resolve, reject) => {
      const giveUp = () => {
        // Not the last one: the first caller is counted until the hold is there.
        leave();
        reject(signal.reason);
      };
      const stay = () => signal.removeEventListener('abort', giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      hold.finally(stay).then(resolve, reject);
    });
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
