/**
 * What says that slots are held: the coordination entry names their sessions, and each session locks its contender entry.
 * Whoever takes a slot goes by both (`slots.ts`), so who holds one has to.
 *
 * One query watches, whatever is held. Until a hold is `shortMs` old it is for the coordination entry alone: a short hold
 * costs nothing more, and whoever took a slot from it wrote there. Then for all of the semaphore, as `monitorLock` in
 * api/semaphore.go does: a session that is ended leaves the coordination entry as it is, and only its contender entry goes.
 * There everybody who comes or goes is a change, so after each read of all the query is for the coordination entry alone
 * again, for a while: a slot that was taken is seen at once, and a release knows the entry as it is.
 */
import type { Row } from '@/lib/providers/consul/client/wire';
import { Changes, waitMsDefault } from './changes';
import type { Ledger } from './ledger';

/** From then on a hold is worth a query that others wake. */
const shortMs = 1_000;
/** From one read of all of it to the next: the more it has, the longer. */
const aloneMs = { min: 250, each: 4 };

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
  readonly #record: Changes<Row | null>;
  readonly #all: Changes<Row[]>;
  #aloneUntilMs: number;
  #whole = false;

  constructor(ledger: Ledger, { modifyIndex }: Row) {
    const { client, key, prefix, patience } = ledger;
    this.#ledger = ledger;
    this.#aloneUntilMs = ledger.clock.monotonicMs() + shortMs;
    // Nothing is missed: both look from the index of our own write.
    this.#record = new Changes((options) => client.get(key, options), patience, modifyIndex);
    this.#all = new Changes((options) => client.list(`${prefix}/`, options), patience, modifyIndex);
  }

  /** Whether the query that is under way is for all of the semaphore. */
  get whole(): boolean {
    return this.#whole;
  }

  /** As `Changes.next`, and now and then without a change. */
  async next(signal: AbortSignal): Promise<Seen> {
    const { clock, key } = this.#ledger;
    const leftMs = Math.ceil(this.#aloneUntilMs - clock.monotonicMs());
    if (leftMs > 0) {
      const row = await this.#record.next(signal, leftMs);
      // What one of them cannot wait on the other cannot either.
      if (this.#record.anew) this.#all.doubt();
      return { row, locking: null };
    }
    this.#whole = true;
    const rows = await this.#all.next(signal, waitMsDefault);
    this.#whole = false;
    if (this.#all.anew) this.#record.doubt();
    this.#aloneUntilMs = clock.monotonicMs() + Math.max(aloneMs.min, aloneMs.each * rows.length);
    return {
      row: rows.find((row) => row.key === key) ?? null,
      locking: new Set(rows.flatMap(({ session }) => session ?? [])),
    };
  }
}
