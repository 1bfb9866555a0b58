/** One hold, entered several times by one owner of this process. Consul stores nothing of this. */
import type { Hold } from './hold';

/** The name of an owner. The caller decides, because Node has no threads. */
export type ReentrantKey = string | symbol;

/**
 * The terms on which a caller waits.
 * @internal
 */
export interface Terms {
  /** With an earlier caller in wait, the answer is no. */
  readonly once: boolean;
  /** Ends only this caller's wait. */
  readonly signal: AbortSignal;
}

interface Entry {
  readonly hold: Promise<Hold | null>;
  /** `null` before the hold exists, and after a failure. */
  held: Hold | null;
  /** True for one attempt without a wait. */
  readonly once: boolean;
  count: number;
}

/**
 * Counts entries for each key. The last `release` of a key releases the lock. A lost hold cannot be entered again.
 * @internal
 */
export class Reentry {
  readonly #entries = new Map<ReentrantKey, Entry>();

  /** The entries of `key` right now; 0 while it waits. */
  count(key: ReentrantKey): number {
    const entry = this.#entries.get(key);
    return entry?.held == null ? 0 : entry.count;
  }

  /**
   * Enters the hold of `key`, or the result of `take`. Without a key, each call takes. Simultaneous callers of one key
   * share one `take`. Its failure reaches only its own caller, because it may have allowed one attempt, or less time.
   * The others enter again with their own `take`. Each throws the reason of its own signal.
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
    // The count must fall again, or the last release of the lost hold, which may free its key, would not be one.
    const isLast = leave();
    this.#forget(key, entry);
    if (isLast) await hold?.release().catch(() => {});
    return hold === null && found === undefined ? null : this.enter(key, terms, take);
  }

  #begin(key: ReentrantKey, once: boolean, take: () => Promise<Hold | null>): Entry {
    const entry: Entry = { hold: take(), held: null, once, count: 0 };
    this.#entries.set(key, entry);
    // This runs before the callers that wait for it.
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
        // Never the last entry, because the first caller counts until the hold exists.
        leave();
        reject(signal.reason);
      };
      const stay = () => signal.removeEventListener('abort', giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      hold.finally(stay).then(resolve, reject);
    });
  }

  /** Removes the entry, unless another stands under the key by now. */
  #forget(key: ReentrantKey, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #view(hold: Hold, leave: () => boolean): Hold {
    let isLast: boolean | null = null;
    // The hold answers a repeated release, which may repeat a failed write.
    const release = () => {
      isLast ??= leave();
      return isLast ? hold.release() : Promise.resolve();
    };
    const { key, session, fencingToken, lost } = hold;
    return { key, session, fencingToken, lost, release, [Symbol.asyncDispose]: release };
  }
}
