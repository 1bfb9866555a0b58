/**
 * Reading one thing again and again, whenever it changes: a blocking query with the care that it needs.
 *
 * An index that falls (a restored snapshot, a collected tombstone) starts anew, or the query would sleep until
 * the index is reached again. Nor is an index waited on by which it was woken for nothing: so Consul wakes whoever waits while a
 * snapshot is restored, with what there was before, and the index of that is yet to be reached again. A failure that may pass is
 * retried with a plain read, for the change that we wait for may have happened meanwhile. Authority: the retry in `monitorLock`, api/lock.go, and Consul's documentation of
 * blocking queries.
 */
import type { ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import { isPassing, type Patience } from './patience';

/** Far below Consul's 10 min: a query whose client went away stays on the server until its wait is over. */
export const waitMsDefault = 30_000;
/** An answer that brings nothing so long before its time, or half of it before, was not waited for. */
const earlyAtLeastMs = 1_000;
/** And one so soon may come from a front that does not let queries wait. */
const blockedAtLeastMs = 500;

/** Reads by `read`, from one change to the next; one reader, not to be shared. See the head of this file. */
export class Changes<T> {
  #index: string | null;

  /** `since`: the index of what is known already, so that the first read waits for a change of that. */
  constructor(
    private readonly read: (options: ReadOptions) => Promise<Reply<T>>,
    private readonly patience: Patience,
    since: string | null = null,
  ) {
    this.#index = since;
  }

  /** The next read waits for nothing: what was read last was no answer to wait on. */
  get anew(): boolean {
    return this.#index === null;
  }

  /** The index may be one that is yet to be reached again. */
  doubt(): void {
    this.#index = null;
  }

  /** What is there now: confirmed by a quorum, unless `read` sees to it that what follows needs no more than a hint. */
  now(signal: AbortSignal): Promise<T> {
    this.#index = null;
    return this.next(signal);
  }

  /**
   * The next state: at once the first time (unless `since` was given), later when it changed or `waitMs` passed, whichever is first.
   * Throws the signal's reason, or a `ConsulError` when patience ends.
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
    // Without an index the next query cannot block, and the caller's loop would be a busy one.
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
