import type { SessionRequest } from '@/lib/providers/consul/client/client';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import { readCoordination } from '@/lib/providers/consul/rows/coordination';
import { Evidence } from './evidence';
import type { Group } from './group';
import { handOver } from './handover';
import type { Ledger } from './ledger';
import { LostError, type LostReason, lostReason, monitor } from './lost';
import { keepSpare } from './spare-session';
import type { Taken } from './taking';

/** The longest delay of Node's timers. */
const timerMsMax = 2 ** 31 - 1;

interface PermitOptions {
  readonly ledger: Ledger;
  readonly group: Group;
  readonly taken: Taken;
  /** The length of the lease; `null`: the permit lasts as long as its client. */
  readonly leaseMs: number | null;
  /** The request of its session, if that may be used again; else `null`. */
  readonly again: SessionRequest | null;
}

/**
 * `held` -> `released` (by the last `release`) or `lost`.
 * - `held`: sessions are renewed, unless there is a lease. The watch (`evidence.ts`) shows that the coordination entry
 *   names every session of ours, and that each locks its contender entry.
 * - `lost`: this is no longer true, the lease is over, or Consul is unreachable. One lost session loses the whole
 *   permit, because the work needs them all; the rest is given back.
 */
export class Permit implements AsyncDisposable {
  /** The index of the write that took the slots, which grows from holder to holder. */
  readonly fencingToken: bigint;
  readonly #held: PermitOptions;
  readonly #sinceMs: number;
  readonly #ledger: Ledger;
  readonly #group: Group;
  readonly #evidence: Evidence;
  readonly #lost = new AbortController();
  readonly #watch = new AbortController();
  #ids: readonly string[];
  /** The coordination entry as last seen. */
  #row: KvRow | null;
  #end: Promise<void> | null = null;
  #leaseUntilMs: number | null = null;
  #leaseTimer: NodeJS.Timeout | undefined;

  /** @internal By `Semaphore`. */
  constructor(held: PermitOptions) {
    const { ledger, group, taken, leaseMs } = held;
    this.#held = held;
    this.#ledger = ledger;
    this.#group = group;
    this.#ids = group.ids;
    this.#row = taken.row;
    this.#sinceMs = ledger.clock.monotonicMs();
    this.fencingToken = BigInt(taken.row.modifyIndex);
    this.#evidence = new Evidence(ledger, taken.row);
    // A short hold needs no watch.
    setImmediate(() => (this.#end === null ? this.#follow() : this.#watch.abort()));
    for (const { lost } of group.sessions) {
      const onLost = () => this.#lose(lostReason(lost) ?? 'session-invalidated');
      if (lost.aborted) onLost();
      else lost.addEventListener('abort', onLost, { once: true, signal: this.#watch.signal });
    }
    if (leaseMs !== null) this.#lease(leaseMs);
  }

  /** The number of slots, which falls with a partial `release`. */
  get permits(): number {
    return this.#ids.length;
  }

  get sessions(): readonly string[] {
    return this.#ids;
  }

  /** Epoch milliseconds at which the lease ends; `null` without one. */
  get leaseUntil(): number | null {
    if (this.#leaseUntilMs === null) return null;
    return this.#ledger.clock.wallMs() + this.#leaseUntilMs - this.#ledger.clock.monotonicMs();
  }

  /**
   * Aborts with a `LostError` when the slots are lost: stop working at once. A `release` does not abort it. A taken
   * slot shows within milliseconds. An ended session shows as soon, even if no client wants the slot. In the first
   * second of a hold it shows at the end of that second. Later, while other clients come and go, it shows within a
   * quarter of a second, or 4 ms for each entry of the semaphore if that is more. An unreachable Consul shows when
   * `monitorRetries` are spent.
   */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Moves the end of the lease to `ms` from now, sooner or later than before. Throws a `RangeError` without a lease or
   * when `ms` is not above 0, and a `LostError` when the permit is lost. After a `ConsulError` the old end still holds.
   */
  async extend(ms: number): Promise<void> {
    if (this.#leaseUntilMs === null || !(ms > 0))
      throw new RangeError('Only a lease can be extended, by more than 0 ms.');
    this.#lost.signal.throwIfAborted();
    const untilMs = this.#ledger.clock.monotonicMs() + ms;
    // A partial `release` has ended the others.
    const held = this.#group.sessions.filter(({ id }) => this.#ids.includes(id));
    await Promise.all(held.map((session) => session.renewUntil(untilMs)));
    this.#lost.signal.throwIfAborted();
    if (this.#end === null) this.#lease(untilMs - this.#ledger.clock.monotonicMs());
  }

  /**
   * Gives back `permits` slots (1 to all; all by default), and resolves even if they were lost before. Nothing remains
   * in Consul but the session of a single permit. It ends in the background some milliseconds later, unless another
   * acquire uses it (`spare-session.ts`). Throws a `ConsulError` when Consul is unreachable; the TTL then frees the
   * slots.
   */
  async release(permits = this.permits): Promise<void> {
    if (!Number.isInteger(permits) || permits < 1 || permits > Math.max(1, this.permits))
      throw new RangeError(`release takes 1 to ${this.permits} permits.`);
    if (this.#end === null && permits < this.permits) {
      const given = this.#ids.slice(-permits);
      // First, or the monitor would report our release as a loss.
      this.#ids = this.#ids.slice(0, -permits);
      await this.#giveBack(given, []);
      return;
    }
    this.#end ??= this.#finish();
    return this.#end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  #follow(): void {
    let lacking: readonly string[] = [];
    monitor(
      {
        client: this.#ledger.client,
        changes: this.#evidence,
        holds: ({ row, locking }) => {
          // A reused session may be recorded before this watch has seen its release.
          if (this.#end !== null) return false;
          this.#row = row;
          const holders = row === null ? null : readCoordination(row.value).coordination?.holders;
          lacking = this.#ids.filter((id) => !holders?.includes(id) || locking?.has(id) === false);
          return lacking.length === 0;
        },
        // A released slot is not lost.
        sessions: () => (this.#end === null ? lacking : []),
      },
      this.#watch.signal,
    )
      .then((reason) => reason !== null && this.#lose(reason))
      // A reused session outlives this permit, and must not keep it in memory.
      .finally(() => this.#watch.abort());
  }

  #lease(ms: number): void {
    clearTimeout(this.#leaseTimer);
    this.#leaseUntilMs = this.#ledger.clock.monotonicMs() + ms;
    if (ms <= timerMsMax) this.#leaseTimer = setTimeout(() => this.#lose('lease-expired'), Math.max(0, ms));
  }

  #lose(reason: LostReason): void {
    if (this.#end !== null) return;
    this.#end = this.#finish().catch(() => {
      // The owner learns of the loss instead; the TTL frees the rest.
    });
    this.#lost.abort(new LostError(reason));
  }

  /**
   * Passes the session on (`spare-session.ts`) when one write gave everything back, so the session locks nothing. That
   * write also ends the monitor's query, whose abort would cost a connection. A query for the whole semaphore is
   * aborted, because it would read everything again.
   */
  async #finish(): Promise<void> {
    clearTimeout(this.#leaseTimer);
    if (this.#evidence.whole) this.#watch.abort();
    const { group, taken, again } = this.#held;
    const [session] = group.sessions;
    const askedMs = this.#ledger.clock.monotonicMs();
    const leaving = this.#ids.length === group.ids.length ? group.leaving(taken.entries) : [];
    let left = false;
    try {
      left = await this.#giveBack(this.#ids, leaving);
    } finally {
      if (!left) this.#watch.abort();
    }
    if (session === undefined || !left) return;
    const times = { sinceMs: this.#sinceMs, askedMs, leftMs: this.#ledger.clock.monotonicMs() };
    const spare = { session, row: taken.row, waits: false, met: false, ...times };
    const { client, key } = this.#ledger;
    if (again === null || !keepSpare(client, key, { ...spare, request: again }))
      // If this fails, the TTL ends the session.
      session.end().catch(() => {});
  }

  /**
   * Gives the slot back first, because a session that ends before it leaves a dead holder. True: `leaving` went in the
   * same write. Otherwise the sessions are ended.
   */
  async #giveBack(ids: readonly string[], leaving: readonly TxnOp[]): Promise<boolean> {
    let left = false;
    try {
      const seen = this.#row;
      const handed = seen !== null && (await handOver(this.#ledger, { ids, seen, leaving }));
      left = handed ? leaving.length > 0 : await this.#ledger.remove(ids, seen, leaving);
    } finally {
      if (!left) await this.#group.end(ids);
    }
    return left;
  }
}
