/**
 * Reads one value again whenever it changes, by blocking queries.
 *
 * When the index falls (a restored snapshot, a collected tombstone), the reader starts over, because the query would
 * sleep until the index is reached again. It also starts over after a wake-up without news, because a restore wakes
 * queries with the old data. A passing failure is retried with a plain read, because the change may have happened
 * meanwhile. Authority: the retry in `monitorLock`, api/lock.go, and Consul's documentation of blocking queries.
 */
import type { ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import { isPassing, type Patience } from './retry';

/** Far below Consul's 10 min, because an abandoned query stays on the server until its wait is over. */
export const waitMsDefault = 30_000;
/** An answer without news this long (or half the wait) before its time was an early wake-up. */
const earlyAtLeastMs = 1_000;
/** An answer this soon may come from a proxy that does not let queries wait. */
const blockedAtLeastMs = 500;

/** A reader of one value, for one caller. */
export class Changes<T> {
  #index: string | null;

  /** `since`: the known index. The first read then waits for a change. */
  constructor(
    private readonly read: (options: ReadOptions) => Promise<Reply<T>>,
    private readonly patience: Patience,
    since: string | null = null,
  ) {
    this.#index = since;
  }

  /** True when the next read does not wait. */
  get anew(): boolean {
    return this.#index === null;
  }

  /** Marks the index as one that Consul may have yet to reach again. */
  doubt(): void {
    this.#index = null;
  }

  /** The present value, confirmed by a quorum unless `read` says otherwise. */
  now(signal: AbortSignal): Promise<T> {
    this.#index = null;
    return this.next(signal);
  }

  /**
   * The next value: at once the first time (unless `since` was given), later after a change or `waitMs`. Throws the
   * signal's reason, or a `ConsulError` when patience ends.
   */
  async next(signal: AbortSignal, waitMs = waitMsDefault): Promise<T> {
    for (let left = this.patience.retries; ; left--) {
      try {
        return await this.once(signal, waitMs);
      } catch (error) {
        this.#index = null;
        if (signal.aborted || left <= 0 || !isPassing(error)) throw error;
      }
      await pause(this.patience.retryMs, signal);
    }
  }

  private async once(signal: AbortSignal, waitMs: number): Promise<T> {
    const before = this.#index;
    const askedMs = performance.now();
    const reply = await this.read({
      consistency: 'consistent',
      signal,
      ...(before === null ? {} : { block: { index: before, waitMs: Math.max(1, waitMs) } }),
    });
    const after = reply.index === null ? 0 : Number(reply.index);
    const usable = after > 0 && (before === null || after >= Number(before));
    // Without an index the next query cannot block, and the caller would loop.
    if (!usable && after === 0) await pause(this.patience.retryMs, signal);
    const tookMs = performance.now() - askedMs;
    const woken =
      before !== null && reply.index === before && tookMs < waitMs - Math.min(earlyAtLeastMs, waitMs / 2);
    if (woken && waitMs > blockedAtLeastMs && tookMs < blockedAtLeastMs)
      await pause(Math.min(this.patience.retryMs, blockedAtLeastMs), signal);
    this.#index = usable && !woken ? reply.index : null;
    return reply.value;
  }
}
