import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { Changes } from './changes';
import { LostError, type LostReason, lostReason, monitor } from './lost';
import { type Patience, persist } from './retry';
import type { KeptSession } from './session';

export interface Hold extends AsyncDisposable {
  readonly key: string;
  readonly session: string;
  /**
   * The key's LockIndex. It grows with every new holder, so a resource that remembers the greatest one can refuse a
   * late writer. It starts over when the key is deleted or written plainly, which Consul does not prevent.
   */
  readonly fencingToken: bigint;
  /** Aborts with a `LostError` when the lock is lost: stop working at once. A `release` does not abort it. */
  readonly lost: AbortSignal;
  /**
   * Gives the lock back without a lock-delay. Our own session ends in the background some milliseconds later, unless
   * another acquire uses it (`spare-session.ts`). Throws a `ConsulError` when Consul is unreachable; the TTL then frees
   * the lock. A passed session may keep it: call `release` again. Resolves even if the lock was lost before, unless a
   * passed session may still hold it and Consul does not answer.
   */
  release(): Promise<void>;
}

interface HoldOptions {
  readonly client: ConsulClient;
  readonly session: KeptSession;
  readonly row: KvRow;
  /** The release writes this value again, as api.Lock does. */
  readonly value: Buffer;
  readonly patience: Patience;
  /** Locks the key for the next waiter of this process in the write that releases it. False: perhaps not. */
  readonly handOn: () => Promise<boolean>;
  /** Called when one answered write gave the key back. True: the session has a new owner. */
  readonly passOn: () => boolean;
  /** Called after holding and releasing, and after each `reuse`. */
  readonly onEnd: () => void;
  /** Uses the passed session again, for a late release. False: a later wait or hold uses it. `null`: it is our own. */
  readonly reuse: (() => boolean) | null;
}

/**
 * `held` -> `released` (by `release`) or `lost`.
 * - `held`: the session is renewed and the key is watched.
 * - `lost`: another session or none has the key, the session ended, or neither is known. `lost` aborts and our session
 *   is destroyed. If it still holds the key, the lock-delay protects the next holder from us. A passed session may
 *   live on and hold the key, so `release` still writes.
 * @internal
 */
export class HeldLock implements Hold {
  readonly key: string;
  readonly fencingToken: bigint;
  readonly #held: HoldOptions;
  readonly #lost = new AbortController();
  readonly #watch = new AbortController();
  #end: Promise<void> | null = null;
  /** True after a loss or a failed release, when a passed session may still hold the key. */
  #mayHold = false;

  constructor(held: HoldOptions) {
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
          // A session that was passed on may lock the key again before this watch has seen the release.
          holds: (now) => this.#end === null && now?.session === session.id,
          // A released key is not lost.
          sessions: () => (this.#end === null ? [session.id] : []),
        },
        this.#watch.signal,
      )
        .then((reason) => reason !== null && this.#lose(reason))
        // A session that was passed on outlives this hold, and must not keep it in memory.
        .finally(() => this.#watch.abort());
    // The watch starts from the index of our own write, so it misses nothing. A short hold needs none.
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
    const { reuse, onEnd } = this.#held;
    if (this.#end === null) this.#end = this.#release().finally(onEnd);
    else if (this.#mayHold && reuse !== null) {
      this.#mayHold = false;
      const again = async () => {
        if (reuse()) await this.#release().finally(onEnd);
      };
      this.#end = this.#end.then(again, again);
    }
    return this.#end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  #lose(reason: LostReason): void {
    if (this.#end !== null) return;
    this.#watch.abort();
    // After the other reasons the session does not hold the key: it has ended, or Consul showed another state.
    this.#mayHold = reason === 'monitor-failed';
    this.#end = this.#held.session
      .end()
      .catch(() => {
        // The TTL ends the session. The owner learns of the loss instead.
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
      // The release precedes the end of the session, because a session that ends while it holds leaves a lock-delay. A
      // second attempt that finds the key not ours gets `false`, which is as good.
      given =
        (await this.#held.handOn()) ||
        (await persist(() => {
          tries += 1;
          return client.release({ key, value, flags, session: session.id });
        }, patience));
    } catch (error) {
      this.#mayHold = true;
      // The session may hold the key, so wait for its end.
      await this.#endSession();
      throw error;
    }
    // A first attempt without an answer may still arrive, and would take the key from a later holder by this session.
    // If the key was no longer ours, the session may be gone.
    if (!given || tries > 1 || !this.#held.passOn()) void this.#endSession();
  }

  /** Ends the session. The release itself ends the monitor's query; an abort would cost its connection. */
  async #endSession(): Promise<void> {
    await this.#held.session.end().catch(() => {});
    this.#watch.abort();
  }
}
