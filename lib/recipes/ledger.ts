/** Reading a semaphore, and changing its coordination entry by compare-and-set until nobody came between. */
import type { ConsulClient, ReadOptions } from '@/lib/consul/client';
import { pause } from '@/lib/consul/clock';
import { editCoordination, readCoordination } from '@/lib/consul/coordination';
import type { Row } from '@/lib/consul/wire';
import type { Clock } from './clock';
import { isPassing, type Patience, persist } from './patience';
import { readSlots, type Slots } from './slots';

/** After a lost compare-and-set: long enough for the winner to be done, random so that losers do not meet again. */
const collisionMs = 30;

/** One semaphore in Consul. `shape` is that of one that does not exist yet; an existing one keeps its own. */
export class Ledger {
  constructor(
    readonly client: ConsulClient,
    readonly prefix: string,
    readonly shape: 'map' | 'list',
    readonly patience: Patience,
    readonly clock: Clock,
  ) {}

  get key(): string {
    return `${this.prefix}/.lock`;
  }

  /** What is there now, confirmed by a quorum. Throws a `ConsulError`, or a `ProblemError` as `readSlots` does. */
  async read(options: ReadOptions = {}): Promise<Slots> {
    const reply = await this.client.list(this.prefix, { consistency: 'consistent', ...options });
    return readSlots(this.prefix, reply.value, this.shape);
  }

  /** A short, random pause after somebody else was faster. */
  collision(signal?: AbortSignal): Promise<void> {
    return pause(this.clock.random() * collisionMs, signal);
  }

  /**
   * Writes what `change` makes of the semaphore, until nobody came between or `change` gives no value; the result is
   * what the last `change` said. Throws `unknown-result` when the answer to a write was lost: whether it was made
   * cannot be told from a limit that somebody else may have set to the same number.
   */
  async edit<T>(change: (slots: Slots) => { readonly value: Buffer | null; readonly result: T }): Promise<T> {
    for (;;) {
      const slots = await persist(() => this.read(), this.patience);
      const { value, result } = change(slots);
      const { key, flags, index } = slots;
      if (value === null || (await this.client.cas({ key, value, flags, index }))) return result;
      await this.collision();
    }
  }

  /**
   * Takes these sessions out of the holders and leaves the rest as it is, the dead too, as `Release` in
   * api/semaphore.go does. Nothing happens when none is recorded, or when the entry is gone or not understood.
   * `seen`: the entry as it was last seen; the first attempt begins with it instead of a read.
   */
  async remove(ids: readonly string[], seen: Row | null = null): Promise<void> {
    if (seen !== null && (await this.without(ids, seen)) === 'written') return;
    for (;;) {
      const { value: row } = await persist(
        () => this.client.get(this.key, { consistency: 'consistent' }),
        this.patience,
      );
      if (row === null || (await this.without(ids, row)) !== 'moved') return;
      await this.collision();
    }
  }

  private async without(ids: readonly string[], row: Row): Promise<'written' | 'not-recorded' | 'moved'> {
    const { coordination } = readCoordination(row.value);
    if (coordination === null || !coordination.holders.some((id) => ids.includes(id))) return 'not-recorded';
    const holders = coordination.holders.filter((id) => !ids.includes(id));
    const value = editCoordination(coordination, { holders });
    const { key, flags, modifyIndex: index } = row;
    return (await this.write({ key, value, flags, index })) ? 'written' : 'moved';
  }

  /** False: somebody was faster, or it is not known. The next read tells. */
  private async write(entry: { key: string; value: Buffer; flags: string; index: string }): Promise<boolean> {
    try {
      return await this.client.cas(entry);
    } catch (error) {
      if (!isPassing(error)) throw error;
      await pause(this.patience.retryMs);
      return false;
    }
  }
}
