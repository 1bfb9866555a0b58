/**
 * What says that slots are held: the coordination entry names their sessions, and each session locks its contender entry.
 * Whoever takes a slot goes by both (`slots.ts`), so who holds one has to.
 *
 * One query watches, whatever is held. Until a hold is `shortMs` old it is for the coordination entry alone: a short hold
 * costs nothing more, and whoever took a slot from it wrote there. Then for all of the semaphore, as `monitorLock` in
 * api/semaphore.go does: a session that is ended leaves the coordination entry as it is, and only its contender entry goes.
 * There everybody who comes or goes is a change, so that watch rests between its reads; not before the first one, and
 * where nobody comes or goes a rest is long over.
 */
import { pause } from '@/lib/consul/client/clock';
import type { Row } from '@/lib/consul/client/wire';
import { Changes, waitMsDefault } from './changes';
import type { Ledger } from './ledger';

/** From then on a hold is worth a query that others wake. */
const shortMs = 1_000;
/** Between two reads of a semaphore: the more it has, the longer. */
const restMs = { min: 250, each: 4 };

/** What was read last. */
export interface Seen {
  /** The coordination entry; `null` where there is none. */
  readonly row: Row | null;
  /** The sessions that lock an entry of the semaphore; `null` where only the coordination entry was read. */
  readonly locking: ReadonlySet<string> | null;
}

/** Of one permit, since `row` was written by which it took its slots. One reader, not to be shared. */
export class Evidence {
  readonly #ledger: Ledger;
  readonly #sinceMs: number;
  readonly #record: Changes<Row | null>;
  readonly #all: Changes<Row[]>;
  #whole = false;
  #restMs = 0;

  constructor(ledger: Ledger, { modifyIndex }: Row) {
    const { client, key, prefix, patience } = ledger;
    this.#ledger = ledger;
    this.#sinceMs = ledger.clock.monotonicMs();
    // Nothing is missed: both look from the index of our own write.
    this.#record = new Changes((options) => client.get(key, options), patience, modifyIndex);
    this.#all = new Changes((options) => client.list(`${prefix}/`, options), patience, modifyIndex);
  }

  /** Whether all of the semaphore is watched by now. */
  get whole(): boolean {
    return this.#whole;
  }

  /** As `Changes.next`; in a crowd a change is told of after a rest. */
  async next(signal: AbortSignal): Promise<Seen> {
    const shortLeftMs = Math.ceil(this.#sinceMs + shortMs - this.#ledger.clock.monotonicMs());
    if (shortLeftMs > 0) return { row: await this.#record.next(signal, shortLeftMs), locking: null };
    this.#whole = true;
    await pause(this.#restMs, signal);
    const rows = await this.#all.next(signal, waitMsDefault);
    this.#restMs = Math.max(restMs.min, restMs.each * rows.length);
    return {
      row: rows.find(({ key }) => key === this.#ledger.key) ?? null,
      locking: new Set(rows.flatMap(({ session }) => session ?? [])),
    };
  }
}
