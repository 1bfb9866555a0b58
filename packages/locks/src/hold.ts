/** A lock while it is held. */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Row } from '@/lib/providers/consul/client/wire';
import { Changes } from './changes';
import { LostError, type LostReason, lostReason, monitor } from './lost';
import { type Patience, persist } from './patience';
import type { KeptSession } from './session';

export interface Hold extends AsyncDisposable {
  readonly key: string;
  readonly session: string;
  /**
   * The key's LockIndex: grows with every new holder, so a resource that remembers the greatest one it saw can
   * refuse a late writer. Starts anew when the key is deleted or written plainly, which Consul does not prevent.
   */
  readonly fencingToken: bigint;
  /** Aborts with a `LostError` when the lock is lost: stop working at once. Not aborted by `release`. */
  readonly lost: AbortSignal;
  /**
   * Gives the lock back; no lock-delay follows. Resolves also when it was lost before. The session, which locks nothing
   * any more, is ended behind its back, some milliseconds later, unless it is wanted again by then (`spare.ts`): nobody
   * waits for that, and where it fails, its TTL ends it. Throws a `ConsulError` when Consul cannot be reached; the
   * session is no longer renewed, so its TTL frees the lock then.
   */
  release(): Promise<void>;
}

interface Held {
  readonly client: ConsulClient;
  readonly session: KeptSession;
  readonly row: Row;
  /** Written again at the release, as api.Lock does. */
  readonly value: Buffer;
  readonly patience: Patience;
  /** Locks the key for the next one of this process in the write that releases it; false: it may not have been. */
  readonly handOn: () => Promise<boolean>;
  /** Called when one write gave the key back, and was answered so; true: the session is somebody else's now. */
  readonly passOn: () => boolean;
  /** Called once, when neither holding nor releasing any more. */
  readonly onEnd: () => void;
}

/**
 * States: `held` -> `released` (by `release`) or `lost`.
 * - `held`: the session is renewed and the key is watched.
 * - `lost`: the key has another session or none, the session ended, or neither can be told. `lost` aborts, and our own
 *   session is destroyed: if it does hold the key still (Consul was out of reach), the lock-delay then protects the
 *   next holder from us.
 * @internal
 */
export class HeldLock implements Hold {
  readonly key: string;
  readonly fencingToken: bigint;
  readonly #held: Held;
  readonly #lost = new AbortController();
  readonly #watch = new AbortController();
  #end: Promise<void> | null = null;

  constructor(held: Held) {
    const { client, session, row, patience } = held;
    this.#held = held;
    this.key = row.key;
    this.fencingToken = BigInt(row.lockIndex);
    const changes = new Changes((options) => client.get(row.key, options), patience, row.modifyIndex);
    const watch = () =>
      monitor(
        {
          client,
          changes,
          // A session that was passed on may lock the key again before we have seen that it was given back.
          holds: (now) => this.#end === null && now?.session === session.id,
          // Given back by ourselves: nobody asks why it is not ours any more.
          sessions: () => (this.#end === null ? [session.id] : []),
        },
        this.#watch.signal,
      )
        .then((reason) => reason !== null && this.#lose(reason))
        // A session that was passed on outlives us, and shall not remember us.
        .finally(() => this.#watch.abort());
    // Nothing is missed: it looks from the index of our own write. What is given back at once need not be watched.
    setImmediate(() => (this.#end === null ? watch() : this.#watch.abort()));
    const onLost = () => this.#lose(lostReason(session.lost) ?? 'session-invalidated');
    if (session.lost.aborted) onLost();
    else session.lost.addEventListener('abort', onLost, { once: true, signal: this.#watch.signal });
  }

  get session(): string {
    return this.#held.session.id;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  release(): Promise<void> {
    this.#end ??= this.#release().finally(this.#held.onEnd);
    return this.#end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  #lose(reason: LostReason): void {
    if (this.#end !== null) return;
    this.#watch.abort();
    this.#end = this.#held.session
      .end()
      .catch(() => {
        // It is not renewed any more, so its TTL ends it; the owner hears of the loss, not of this.
      })
      .finally(this.#held.onEnd);
    this.#lost.abort(new LostError(reason));
  }

  async #release(): Promise<void> {
    const { client, session, row, value, patience } = this.#held;
    const { key, flags } = row;
    let tries = 0;
    let given: boolean;
    try {
      // Released before the session ends: a session that ends while it holds leaves a lock-delay to the next one.
      // A second attempt finds the key not ours and is told `false`, which is as good; so does the first, where the
      // answer to having handed it on was lost.
      given =
        (await this.#held.handOn()) ||
        (await persist(() => {
          tries += 1;
          return client.release({ key, value, flags, session: session.id });
        }, patience));
    } catch (error) {
      // It may hold the key: its end is waited for, as the last that can be done.
      await this.#endSession();
      throw error;
    }
    // A first try whose answer was lost may still be on its way, and would take the key from whoever holds it by this
    // session then. And where the key was not ours any more, the session may be gone.
    if (!given || tries > 1 || !this.#held.passOn()) void this.#endSession();
  }

  /** The release itself ends the monitor's query in good order. To break it off before would cost its connection. */
  async #endSession(): Promise<void> {
    await this.#held.session.end().catch(() => {});
    this.#watch.abort();
  }
}
