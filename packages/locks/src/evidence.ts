/**
 * The proof that slots are held: the coordination entry names their sessions, and each session locks its contender
 * entry.
 *
 * One query watches. Until a hold is `shortMs` old, it watches the coordination entry alone. Then it watches the whole
 * semaphore, as `monitorLock` in api/semaphore.go does, because an ended session leaves the coordination entry
 * unchanged. Every arrival wakes it. So after each read of the whole it watches the coordination entry alone for a
 * time. A taken slot then shows at once, and a release has the newest entry.
 */
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { Changes, waitMsDefault } from './changes';
import type { Ledger } from './ledger';

/** A longer hold is worth a query that other clients wake. */
const shortMs = 1_000;
/** The time between two reads of the whole; `each`: for each of its rows. */
const aloneMs = { min: 250, each: 4 };

export interface HoldProof {
  /** The coordination entry; `null`: there is none. */
  readonly row: KvRow | null;
  /** The sessions that lock an entry of the semaphore; `null`: only the coordination entry was read. */
  readonly locking: ReadonlySet<string> | null;
}

/** The proof of one permit, since `row` recorded its slots. For one caller. */
export class Evidence {
  readonly #ledger: Ledger;
  readonly #record: Changes<KvRow | null>;
  readonly #all: Changes<readonly KvRow[]>;
  #aloneUntilMs: number;
  #whole = false;

  constructor(ledger: Ledger, { modifyIndex }: KvRow) {
    const { client, key, prefix, patience } = ledger;
    this.#ledger = ledger;
    this.#aloneUntilMs = ledger.clock.monotonicMs() + shortMs;
    // Both start from the index of our own write, so they miss nothing.
    this.#record = new Changes((options) => client.get(key, options), patience, modifyIndex);
    this.#all = new Changes((options) => client.list(`${prefix}/`, options), patience, modifyIndex);
  }

  get whole(): boolean {
    return this.#whole;
  }

  /** As `Changes.next`, and at intervals without a change. */
  async next(signal: AbortSignal): Promise<HoldProof> {
    const { clock, key } = this.#ledger;
    const leftMs = Math.ceil(this.#aloneUntilMs - clock.monotonicMs());
    if (leftMs > 0) {
      const row = await this.#record.next(signal, leftMs);
      // An index that is bad for one query is bad for the other.
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
