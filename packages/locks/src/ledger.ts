/** Reads a semaphore, and changes its coordination entry by compare-and-set. */

import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient, ReadOptions } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import { askEnds, missingFrom } from '@/lib/providers/consul/client/session-end';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import {
  coordinationKey,
  editCoordination,
  readCoordination,
} from '@/lib/providers/consul/rows/coordination';
import type { Clock } from './clock';
import { isPassing, type Patience, persist } from './retry';
import { readSlots, type SemaphoreState } from './slots';

/**
 * The pause after a lost compare-and-set, random so that losers do not collide again. It is short at first, because a
 * read takes as long as the winner needs, and later long enough for a crowd.
 */
const collisionMs = { first: 4, max: 30 };

/** One semaphore in Consul. `shape`: for a new semaphore; an existing one keeps its own. */
export class Ledger {
  constructor(
    readonly client: ConsulClient,
    readonly prefix: string,
    readonly shape: 'map' | 'list',
    readonly patience: Patience,
    readonly clock: Clock,
  ) {}

  get key(): string {
    return coordinationKey(this.prefix);
  }

  /** The present state, confirmed by a quorum. Throws a `ConsulError`, or a `ProblemError` as `readSlots` does. */
  async read(options: ReadOptions = {}): Promise<SemaphoreState> {
    const reply = await this.client.list(this.prefix, { consistency: 'consistent', ...options });
    return this.judge(reply.value, options.signal);
  }

  /**
   * The semaphore in these fresh rows. Asks for each holder in doubt (`ghost-rule.ts`); an unknown one holds its slot.
   * Throws as `read` does.
   */
  async judge(
    rows: readonly KvRow[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<SemaphoreState> {
    const slots = readSlots(this.prefix, rows, this.shape);
    if (slots.inDoubt.length === 0) return slots;
    return readSlots(this.prefix, rows, this.shape, await this.ended(slots.inDoubt, signal));
  }

  /** The ids whose sessions have certainly ended. None without the right to read the session or write the entry. */
  private async ended(ids: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    try {
      const list = () => this.client.sessions({ consistency: 'consistent', signal });
      const missing = await missingFrom(this.client, ids, await persist(list, this.patience, signal), signal);
      const recorded = [...missing].map((sessionId) => ({ sessionId, key: this.key }));
      const ask = () => askEnds(this.client, recorded, signal);
      return (await persist(ask, this.patience, signal)).ended;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== 'forbidden') throw error;
      return new Set();
    }
  }

  /** A short, random pause. `times`: losses in a row, 1 or more. */
  collision(times: number, signal?: AbortSignal): Promise<void> {
    const maxMs = Math.min(collisionMs.max, collisionMs.first * times ** 2);
    return pause(this.clock.random() * maxMs, signal);
  }

  /**
   * Writes the semaphore that `change` makes, until no other write came between or `change` gives no value. Returns the
   * last result. Throws `unknown-result` after a lost answer, because another client may have set the same limit.
   */
  async edit<T>(
    change: (slots: SemaphoreState) => { readonly value: Buffer | null; readonly result: T },
  ): Promise<T> {
    for (let times = 1; ; times += 1) {
      const slots = await persist(() => this.read(), this.patience);
      const { value, result } = change(slots);
      const { key, flags, index } = slots;
      if (value === null || (await this.client.cas({ key, value, flags, index }))) return result;
      await this.collision(times);
    }
  }

  /**
   * Removes these sessions from the holders and leaves the others, even dead ones, as `Release` in api/semaphore.go
   * does. Does nothing when none is recorded, or the entry is gone or not understood. `seen`: replaces the first read.
   * `leaving`: operations for the same transaction, if possible. True: one write has done all of it.
   */
  async remove(
    ids: readonly string[],
    seen: KvRow | null = null,
    leaving: readonly TxnOp[] = [],
  ): Promise<boolean> {
    let others = leaving;
    for (let [known, times] = [seen, 0]; ; [known, times] = [null, times + 1]) {
      // The first time, the read is pause enough.
      if (times > 1) await this.collision(times - 1);
      const row = known ?? (await this.found());
      if (row === null) return false;
      const outcome = await this.without(ids, row, others);
      if (outcome === 'written') return others.length > 0;
      // Only an entry read now proves that none is recorded.
      if (outcome === 'not-recorded' && known === null) return false;
      if (outcome === 'others-refused') others = [];
    }
  }

  private async found(): Promise<KvRow | null> {
    const read = () => this.client.get(this.key, { consistency: 'consistent' });
    return (await persist(read, this.patience)).value;
  }

  private async without(
    ids: readonly string[],
    row: KvRow,
    others: readonly TxnOp[],
  ): Promise<'written' | 'not-recorded' | 'others-refused' | 'moved'> {
    const { coordination } = readCoordination(row.value);
    if (coordination === null || !coordination.holders.some((id) => ids.includes(id))) return 'not-recorded';
    const holders = coordination.holders.filter((id) => !ids.includes(id));
    const value = editCoordination(coordination, { holders });
    const { key, flags, modifyIndex: index } = row;
    try {
      // A plain write, because its error shows the reason.
      if (others.length === 0)
        return (await this.client.cas({ key, value, flags, index })) ? 'written' : 'moved';
      const outcome = await this.client.txn([{ verb: 'cas', key, value, flags, index }, ...others]);
      if (outcome.done) return 'written';
      const moved = outcome.errors.some(({ op, what }) => op === 0 && !/permission denied/i.test(what));
      return moved ? 'moved' : 'others-refused';
    } catch (error) {
      if (!isPassing(error)) throw error;
      // Another client was faster, or the result is unknown, which the next read shows.
      await pause(this.patience.retryMs);
      return 'moved';
    }
  }
}
