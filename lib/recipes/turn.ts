/** Whose turn it is, in order of arrival. */
import { freeSlots, queue, type Slots, type Waiting } from './slots';

/**
 * Each waiter of ours watches the one before it, and only the first watches the semaphore: a release then wakes one
 * client, not all. An acquire that wants more slots than are free keeps those behind it waiting, or it would starve.
 *
 * Best effort beside foreign contenders, who take what is free when they see it. And a first one that lets free
 * slots lie for `headTimeoutMs` (stopped, or cut off from Consul) is passed over.
 */
export class Turn {
  readonly #idleSinceMs = new Map<string, number>();

  constructor(
    private readonly group: string,
    private readonly headTimeoutMs: number,
  ) {}

  /** The one to wait behind; `null` when it is our turn. */
  behind(slots: Slots, limit: number, nowMs: number): Waiting | null {
    const free = freeSlots(slots, limit);
    let before: Waiting | null = null;
    for (const waiting of queue(slots)) {
      if (waiting.group === this.group) break;
      if (!this.#passes(waiting, free, limit, nowMs)) before = waiting;
    }
    return before;
  }

  #passes({ group, n }: Waiting, free: number, limit: number, nowMs: number): boolean {
    if (n > limit) return true;
    if (free < n) {
      this.#idleSinceMs.delete(group);
      return false;
    }
    const sinceMs = this.#idleSinceMs.get(group) ?? nowMs;
    this.#idleSinceMs.set(group, sinceMs);
    return nowMs - sinceMs >= this.headTimeoutMs;
  }
}
