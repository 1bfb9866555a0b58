/**
 * A semaphore: at most `limit` holders at a time, across processes and machines. Compatible with HashiCorp's
 * `api.Semaphore` and `consul lock -n` in the map layout. The list layout of the Java article keeps its form.
 */
import { hostname } from 'node:os';
import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { limitOf } from './admission';
import { type Clock, systemClock } from './clock';
import { contend, type Terms } from './contend';
import { AcquireTimeoutError, withDeadline } from './deadline';
import { permitsMax } from './group';
import { Ledger } from './ledger';
import type { Permit } from './permit';
import { freeSlots, queue, type SemaphoreState, waiters, writeSlots } from './slots';

export interface SemaphoreOptions {
  /** Without a trailing slash. */
  readonly prefix: string;
  /**
   * A number (1 or more) that the stored limit must equal; otherwise every call fails with `conflict-in-use`, as in Go.
   * `follow`: the stored limit, even when it changes.
   */
  readonly limit: number | 'follow';
  /** With `follow`, the limit of a new semaphore. Without it, a missing semaphore is `not-found`. */
  readonly initialLimit?: number;
  /**
   * The layout of a new semaphore; default `map`. An existing one keeps its own. Under flags 0, as lists have, a holder
   * may be in the record alone. It then gives up its slot only when its session has ended, which requires a token that
   * may read all sessions (`session_prefix "" { policy = "read" }`).
   */
  readonly layout?: 'map' | 'list';
  /** True (the default) serves our own clients in order of arrival. The list layout has no order. */
  readonly fair?: boolean;
  /** The time for which the first in the queue may leave free slots unused; default 10 s. Then others pass it. */
  readonly headTimeoutMs?: number;
  /** 10 s to 24 h; default 15 s. A dead holder's slot is free after one to two of these. */
  readonly sessionTtlMs?: number;
  /** The name in lists of sessions; default the owner. */
  readonly sessionName?: string;
  /** Checks that end a session when they fail; default the node's `serfHealth`. */
  readonly checks?: readonly string[];
  /** Written into the contender entries for people and consoles; default `<host>:<pid>`. */
  readonly owner?: string;
  /** Attempts after a failed read or write; default 3. */
  readonly monitorRetries?: number;
  /** The pause between these attempts; default 1 s. */
  readonly monitorRetryMs?: number;
  readonly clock?: Clock;
}

export interface SemaphoreAcquireOptions {
  /** 1 to 60, and at most the limit; default 1. All or nothing. */
  readonly permits?: number;
  readonly signal?: AbortSignal;
  /** 0 or more; absent: no timeout. */
  readonly timeoutMs?: number;
  /**
   * Above 0, at most 24 days; then the permit ends. After its client's death Consul ends it within one to two session
   * TTLs, where the TTL is the lease but at least 10 s. So a short lease is exact only while its client lives.
   */
  readonly leaseMs?: number;
}

export interface Party {
  readonly session: string;
  /** `null` for a foreign client. */
  readonly owner: string | null;
  /** Start of its acquire in epoch milliseconds, by its own clock; `null` for a foreign client. */
  readonly sinceMs: number | null;
}

/**
 * A semaphore of Consul, as its clients use it. The object keeps no state in Consul, so it may be made again at any
 * time. The constructor throws a `RangeError` for an impossible prefix or limit.
 */
export class Semaphore {
  readonly #ledger: Ledger;
  readonly #terms: Terms;

  /** @internal By `Consul.semaphore`. */
  constructor(client: ConsulClient, options: SemaphoreOptions) {
    const { prefix, limit, initialLimit = null, clock = systemClock } = options;
    if (prefix === '' || prefix.endsWith('/'))
      throw new RangeError('prefix must be a name without a slash at its end.');
    for (const n of [limit, initialLimit])
      if (typeof n === 'number' && !(Number.isSafeInteger(n) && n >= 1))
        throw new RangeError('A limit is 1 or more.');
    const patience = { retries: options.monitorRetries ?? 3, retryMs: options.monitorRetryMs ?? 1_000 };
    this.#ledger = new Ledger(client, prefix, options.layout ?? 'map', patience, clock);
    const owner = options.owner ?? `${hostname()}:${process.pid}`;
    this.#terms = {
      ledger: this.#ledger,
      limit: limit === 'follow' ? { follow: true, initial: initialLimit } : limit,
      fair: options.fair ?? true,
      headTimeoutMs: options.headTimeoutMs ?? 10_000,
      owner,
      session: {
        name: options.sessionName ?? owner,
        ttlMs: options.sessionTtlMs ?? 15_000,
        // The entry ends with its session. A lock-delay would protect nothing, because no entry is taken twice.
        behavior: 'delete',
        lockDelayMs: 0,
        ...(options.checks === undefined ? {} : { checks: options.checks }),
      },
    };
  }

  /**
   * Waits until the slots are ours. Throws the signal's reason, an `AcquireTimeoutError`, a `ConsulError`, a
   * `RangeError`, or a `ProblemError`: `conflict-in-use` (another limit, or not a semaphore), `not-found` (no limit to
   * follow), `forbidden` (the token may not write here). Before a throw it removes everything that it created, which
   * may take some seconds without an answer from Consul.
   */
  async acquire(options: SemaphoreAcquireOptions = {}): Promise<Permit> {
    const { signal, timeoutMs } = options;
    const permit = await withDeadline(
      {
        what: `The semaphore ${this.#ledger.prefix}`,
        ...(signal === undefined ? {} : { signal }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
      (deadline) => contend(this.#terms, { ...options, once: false }, deadline),
    );
    if (permit === null) throw new Error('A blocking acquire ended without a permit.');
    return permit;
  }

  /**
   * As `acquire`; `null`: not available at once (0, the default) or within `timeoutMs`. A full semaphore costs one read
   * and no session. Our own waiting clients are not overtaken.
   */
  async tryAcquire(
    timeoutMs = 0,
    options: Omit<SemaphoreAcquireOptions, 'timeoutMs'> = {},
  ): Promise<Permit | null> {
    if (timeoutMs === 0)
      return contend(this.#terms, { ...options, once: true }, options.signal ?? new AbortController().signal);
    try {
      return await this.acquire({ ...options, timeoutMs });
    } catch (error) {
      if (error instanceof AcquireTimeoutError) return null;
      throw error;
    }
  }

  /** Runs `work` with a permit and then releases it, even if `work` throws. The permit's `lost` signals a loss. */
  async run<T>(work: (permit: Permit) => Promise<T>, options: SemaphoreAcquireOptions = {}): Promise<T> {
    const permit = await this.acquire(options);
    try {
      return await work(permit);
    } finally {
      await permit.release();
    }
  }

  /**
   * Takes all free slots (60 at most) at once, as `drainPermits` in java.util.concurrent does; `null`: none. The
   * permit's release returns them.
   */
  async drainPermits(
    options: { readonly signal?: AbortSignal; readonly leaseMs?: number } = {},
  ): Promise<Permit | null> {
    for (;;) {
      const slots = await this.#ledger.read(options.signal === undefined ? {} : { signal: options.signal });
      const free = freeSlots(slots, limitOf(slots, this.#terms.limit));
      if (free === 0 || (this.#terms.fair && queue(slots).length > 0)) return null;
      const permit = await this.tryAcquire(0, { ...options, permits: Math.min(free, permitsMax) });
      if (permit !== null) return permit;
    }
  }

  /** The free slots right now, without those of dead holders. */
  async availablePermits(): Promise<number> {
    const slots = await this.#ledger.read();
    return freeSlots(slots, limitOf(slots, this.#terms.limit));
  }

  /** The limit right now. */
  async limit(): Promise<number> {
    return limitOf(await this.#ledger.read(), this.#terms.limit);
  }

  /** The number of waiting sessions, one for every wanted slot. */
  async queueLength(): Promise<number> {
    return waiters(await this.#ledger.read()).length;
  }

  /** The live holders, in the order of the record. */
  async holders(): Promise<Party[]> {
    const slots = await this.#ledger.read();
    return slots.live.map((session) => party(session, slots));
  }

  /** The waiters, in order of arrival. */
  async waiters(): Promise<Party[]> {
    const slots = await this.#ledger.read();
    return waiters(slots).map(({ session }) => party(session, slots));
  }

  /**
   * Changes the stored limit from `expect` to `limit` (1 or more), and evicts no holder. False: it was not `expect`. In
   * the map layout every waiting strict client (`consul lock`, Go, and ours with a number) fails at once with a limit
   * conflict, and so does this object, unless it follows. In the list layout, and under other flags than Go's, a limit
   * below the holders throws `conflict-in-use`, because those clients may test equality, and would admit without bound.
   */
  async setLimit(limit: number, { expect }: { readonly expect: number }): Promise<boolean> {
    return (await resize(this.#ledger, (now) => (now === expect ? limit : null))) !== null;
  }

  /** Raises the stored limit by `n` (1 or more) and returns the new one. As `setLimit` otherwise. */
  async addPermits(n: number): Promise<number> {
    return shift(this.#ledger, n, 1);
  }

  /** Lowers the stored limit by `n` (1 or more), not below 1, and returns the new one. As `setLimit` otherwise. */
  async reducePermits(n: number): Promise<number> {
    return shift(this.#ledger, n, -1);
  }

  /**
   * Deletes the coordination entry, and its limit, if no client holds a slot. True: it is gone. False: in use.
   * Authority: `Destroy` in api/semaphore.go.
   */
  async destroy(): Promise<boolean> {
    const { live, index, key } = await this.#ledger.read();
    if (index === '0') return true;
    return live.length === 0 && (await this.#ledger.client.deleteCas(key, index));
  }
}

function party(session: string, { contenders }: SemaphoreState): Party {
  const note = contenders.find((c) => c.session === session)?.note ?? null;
  return { session, owner: note?.owner ?? null, sinceMs: note?.since ?? null };
}

/**
 * Writes the limit that `next` makes of the stored one, 1 or more, and prunes dead holders in the same write. Returns
 * it, or `null` when `next` did. An unchanged limit writes nothing. Throws a `ProblemError`: `not-found` without a
 * semaphore, `unknown-result` after a lost answer, or `conflict-in-use` below the holders where a client may test
 * equality: in a list, and under other flags than Go's (as in `lib/providers/consul/actions/resize-limit.ts`).
 * @internal
 */
export function resize(ledger: Ledger, next: (now: number) => number | null): Promise<number | null> {
  return ledger.edit<number | null>((slots) => {
    const now = slots.limit;
    if (now === null)
      throw new ProblemError({
        code: 'not-found',
        detail: `${slots.key} does not exist: no limit to change.`,
      });
    const to = next(now);
    if (to === null || to === now) return { value: null, result: to };
    if (!Number.isSafeInteger(to) || to < 1) throw new RangeError('A limit is 1 or more.');
    const mayTestEquality = slots.shape === 'list' || slots.flags !== semaphoreFlags;
    if (mayTestEquality && to < slots.live.length)
      throw new ProblemError({
        code: 'conflict-in-use',
        detail: `${slots.live.length} hold ${slots.key}: with a limit below, its clients may admit without bound. Lower it when fewer hold.`,
      });
    return { value: writeSlots(slots, to, slots.live), result: to };
  });
}

/**
 * The stored limit plus (`direction` 1) or minus (-1) `n`, which is 1 or more. Returns the new one.
 * @internal
 */
export async function shift(ledger: Ledger, n: number, direction: 1 | -1): Promise<number> {
  if (!Number.isSafeInteger(n) || n < 1) throw new RangeError('permits must be 1 or more.');
  const limit = await resize(ledger, (now) => now + n * direction);
  if (limit === null) throw new Error('A shift of the limit was not made.');
  return limit;
}
