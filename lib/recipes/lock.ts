/**
 * A lock: one key that one session at a time may hold, for leader election and mutual exclusion. Understood by
 * HashiCorp's `api.Lock` and `consul lock -n=1` (whose key is `<prefix>/.lock`), and the other way round.
 */
import { hostname } from 'node:os';
import { backoffMs } from '@/lib/consul/backoff';
import type { ConsulClient, SessionRequest } from '@/lib/consul/client';
import { pause } from '@/lib/consul/clock';
import { lockFlags } from '@/lib/consul/coordination';
import type { Row } from '@/lib/consul/wire';
import { ProblemError } from '@/lib/domain/problem';
import { Changes, waitMsDefault } from './changes';
import { type Clock, systemClock } from './clock';
import { AcquireTimeoutError, withDeadline } from './deadline';
import { HeldLock, type Hold } from './hold';
import { lineAt, lineFor } from './line';
import { isPassing, type Patience } from './patience';
import { type ReentrantKey, Reentry } from './reentry';
import { Rivalry } from './rivalry';
import { KeptSession } from './session';

export interface LockOptions {
  readonly key: string;
  /** Stored in the key while held and after; default empty. At most 512 KiB. */
  readonly value?: string | Buffer;
  /** What people see in lists of sessions; default `<host>:<pid>`. */
  readonly sessionName?: string;
  /** 10 s to 24 h; default 15 s. A holder that dies is noticed after one to two of these. */
  readonly sessionTtlMs?: number;
  /** How long Consul refuses the key after the holder's session was invalidated; 0 to 60 s, default 15 s. */
  readonly lockDelayMs?: number;
  /** What happens to the key when the session ends while holding; default `release`. */
  readonly behavior?: SessionRequest['behavior'];
  /** Checks that end the session when they fail; default the node's `serfHealth`. */
  readonly checks?: readonly string[];
  /** Hold by this session instead of one of our own. It is not destroyed, and renewed only if `renewMs` is given. */
  readonly session?: { readonly id: string; readonly renewTtlMs?: number };
  /** Attempts after a failed read of the monitor, and of an `acquire` that waits; default 3. */
  readonly monitorRetries?: number;
  /** Between them; default 1 s. */
  readonly monitorRetryMs?: number;
  /**
   * A waiter that sees the key freed hesitates up to this long, still watching, before it writes, where other
   * processes have lately been faster: most of a herd then sees the winner instead of sending a write that fails.
   * Default 20 ms; 0 for none.
   */
  readonly spreadMs?: number;
  readonly clock?: Clock;
}

export interface LockAcquireOptions {
  readonly signal?: AbortSignal;
  /** 0 or more; forever when absent. */
  readonly timeoutMs?: number;
  /** The same key enters a lock that it holds already, any number of times, and leaves with its last release. */
  readonly reentrantKey?: ReentrantKey;
}

/** During a lock-delay nothing announces its end, so waiters ask. api.Lock asks every 5 s (`DefaultLockRetryTime`). */
const delayBackoff = { firstMs: 250, maxMs: 2_000 };

/**
 * How `acquire` goes (after `Lock` in api/lock.go):
 * - LINE up behind those of this process who wait for the same key (`line.ts`), unless the session was passed in.
 * - READ the key, while the session is made. Foreign flags: conflict. Ours already (the answer to an earlier write was lost): HELD.
 *   Another's: BLOCK. Free: TAKE.
 * - BLOCK until the key changes; then READ what came back.
 * - TAKE: acquire by session, in a transaction, whose answer has the fencing token. Refused or not known: READ again,
 *   the key says who won. Still free: a lock-delay runs; wait a little and TAKE again.
 * - The session is gone while we wait: a new one, from the start. One that was passed in: an error.
 */
export class Lock {
  readonly #client: ConsulClient;
  readonly #options: LockOptions;
  readonly #clock: Clock;
  readonly #patience: Patience;
  readonly #value: Buffer;
  readonly #reentry = new Reentry();
  readonly #rivalry = new Rivalry();
  /** A session that was passed in would be granted the key twice: Consul takes a second acquire for the first. */
  #borrowed = false;

  constructor(client: ConsulClient, options: LockOptions) {
    if (options.key === '') throw new RangeError('A lock needs a key.');
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#patience = { retries: options.monitorRetries ?? 3, retryMs: options.monitorRetryMs ?? 1_000 };
    this.#value = Buffer.from(options.value ?? '');
  }

  /**
   * Waits until the lock is ours. Throws the signal's reason, an `AcquireTimeoutError`, a `ConsulError`, a `LostError`
   * where a passed session is gone, or a `ProblemError` of code `conflict-in-use`: the key is not a lock, or this object
   * holds or awaits it by the passed session. A passed session that got the key elsewhere is given that hold, as in `Lock` of api/lock.go.
   * Before it throws it removes what it created, which takes up to some seconds when Consul does not answer.
   */
  async acquire({ signal, timeoutMs, reentrantKey }: LockAcquireOptions = {}): Promise<Hold> {
    const take = () =>
      withDeadline(
        {
          what: `The lock ${this.#options.key}`,
          ...(signal === undefined ? {} : { signal }),
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        },
        (deadline) => this.#contend(deadline, false),
      );
    const hold = await (reentrantKey === undefined ? take() : this.#reentry.enter(reentrantKey, take));
    if (hold === null) throw new Error('A blocking acquire ended without a lock.');
    return hold;
  }

  /** The lock, or `null` when it cannot be had: at once (0, the default) or within `timeoutMs`. Else as `acquire`. */
  async tryAcquire(
    timeoutMs = 0,
    { signal, reentrantKey }: Omit<LockAcquireOptions, 'timeoutMs'> = {},
  ): Promise<Hold | null> {
    const aborted = signal ?? new AbortController().signal;
    const once = () => this.#contend(aborted, true);
    if (timeoutMs === 0) return reentrantKey === undefined ? once() : this.#reentry.enter(reentrantKey, once);
    try {
      return await this.acquire({
        timeoutMs,
        ...(signal === undefined ? {} : { signal }),
        ...(reentrantKey === undefined ? {} : { reentrantKey }),
      });
    } catch (error) {
      if (error instanceof AcquireTimeoutError) return null;
      throw error;
    }
  }

  /** Runs `work` under the lock and releases it after, also when `work` throws. `lost` tells it to stop. */
  async run<T>(work: (hold: Hold) => Promise<T>, options: LockAcquireOptions = {}): Promise<T> {
    const hold = await this.acquire(options);
    try {
      return await work(hold);
    } finally {
      await hold.release();
    }
  }

  /** Whether anybody holds the key right now. */
  async isLocked(): Promise<boolean> {
    return (await this.#client.get(this.#options.key, { consistency: 'consistent' })).value?.session != null;
  }

  /** How often this owner is inside, in this process. */
  holdCount(reentrantKey: ReentrantKey): number {
    return this.#reentry.count(reentrantKey);
  }

  /**
   * Deletes the key if nobody holds it. True: it is gone. False: it is in use, or was taken meanwhile. Throws on
   * foreign flags. Authority: `Destroy` in api/lock.go. The fencing token starts anew afterwards.
   */
  async destroy(): Promise<boolean> {
    const { value: row } = await this.#client.get(this.#options.key, { consistency: 'consistent' });
    if (row === null) return true;
    this.#refuseForeign(row);
    return row.session === null && (await this.#client.deleteCas(row.key, row.modifyIndex));
  }

  /** Foreign flags say that other software keeps other things here. Authority: `ErrLockConflict` in api/lock.go. */
  #refuseForeign(row: Row | null): void {
    if (row !== null && row.flags !== lockFlags)
      throw new ProblemError({
        code: 'conflict-in-use',
        detail: `The key ${row.key} is not used as a lock.`,
      });
  }

  async #contend(signal: AbortSignal, once: boolean): Promise<Hold | null> {
    const borrows = this.#options.session !== undefined;
    if (borrows && this.#borrowed)
      throw new ProblemError({
        code: 'conflict-in-use',
        detail: 'This session holds or awaits the lock already.',
      });
    this.#borrowed = borrows;
    let hold: Hold | null = null;
    let leave = () => {};
    try {
      // A passed session may hold the key already: whoever comes with it is not to wait behind another.
      if (!once && !borrows) leave = await lineFor(this.#client, this.#options.key).enter(signal);
      // Before a session is made for it: often the answer is no already.
      if (once && !(await this.#mayTake(signal))) return null;
      do hold = await this.#contendOnce(signal, once);
      while (hold === null && !once);
      return hold;
    } finally {
      leave();
      if (hold === null) this.#borrowed = false;
    }
  }

  async #mayTake(signal: AbortSignal): Promise<boolean> {
    const { value: row } = await this.#client.get(this.#options.key, { consistency: 'consistent', signal });
    this.#refuseForeign(row);
    return row?.session == null || row.session === this.#options.session?.id;
  }

  /** One session's attempt. `null`: not to be had at once, or the session was lost while it waited. */
  async #contendOnce(signal: AbortSignal, once: boolean): Promise<Hold | null> {
    const { key } = this.#options;
    const changes = new Changes<Row | null>((options) => this.#client.get(key, options), this.#patience);
    const first = changes.now(signal);
    // Waited for below; one that fails before is no unhandled rejection.
    first.catch(() => {});
    const session = await this.#openSession().catch(async (error: unknown) => {
      // Where Consul cannot even be read, that is what the caller is to know.
      await first;
      throw error;
    });
    let row: Row | null = null;
    try {
      row = await this.#wait({ session, changes, first, once }, AbortSignal.any([signal, session.lost]));
    } catch (error) {
      if (signal.aborted || !session.lost.aborted || this.#options.session !== undefined) throw error;
      // An operator or a restored snapshot ended our session while it waited: that is no reason to give up.
      await pause(backoffMs(0, { ...delayBackoff, random: () => this.#clock.random() }), signal);
    } finally {
      if (row === null) await this.#abandon(session);
    }
    if (row === null) return null;
    return new HeldLock({
      client: this.#client,
      session,
      row,
      value: this.#value,
      patience: this.#patience,
      passOn: () =>
        this.#options.session === undefined &&
        lineAt(this.#client, key)?.leaveSession(session, this.#request) === true,
      onEnd: () => {
        this.#borrowed = false;
      },
    });
  }

  async #wait(
    {
      session,
      changes,
      first,
      once,
    }: {
      session: KeptSession;
      changes: Changes<Row | null>;
      first: Promise<Row | null>;
      once: boolean;
    },
    signal: AbortSignal,
  ): Promise<Row | null> {
    const { spreadMs = 20 } = this.#options;
    const rivalry = this.#rivalry;
    let refused = 0;
    let row = await first;
    for (;;) {
      this.#refuseForeign(row);
      if (row?.session === session.id) return row;
      if (once && (refused > 0 || row?.session != null)) return null;
      if (row?.session != null) {
        if (refused > 0) rivalry.raced(false);
        refused = 0;
        row = await changes.next(signal, waitMsDefault);
        const hesitateMs = this.#clock.random() * spreadMs * rivalry.lost;
        // A wake-up wakes every process that waits at once.
        if (row?.session == null && hesitateMs >= 1) {
          row = await changes.next(signal, hesitateMs);
          if (row?.session != null) rivalry.raced(false);
        }
        continue;
      }
      if (refused > 0)
        await pause(backoffMs(refused - 1, { ...delayBackoff, random: () => this.#clock.random() }), signal);
      const taken = await this.#take(session);
      if (taken !== null) {
        rivalry.raced(true);
        return taken;
      }
      refused++;
      row = await changes.now(signal);
    }
  }

  /**
   * The key as we locked it, without its value; `null` when we did not, and when it is not known: the key tells. Throws
   * when the session is gone or the write is forbidden.
   */
  async #take(session: KeptSession): Promise<Row | null> {
    const { key } = this.#options;
    try {
      const outcome = await this.#client.txn([
        { verb: 'lock', key, value: this.#value, flags: lockFlags, session: session.id },
      ]);
      if (outcome.done) return outcome.rows.find((row) => row.key === key) ?? null;
      const { what } = outcome.errors[0] ?? { what: '' };
      if (/permission denied/i.test(what)) throw new ProblemError({ code: 'forbidden', detail: what });
      if (/session/i.test(what) && !(await session.exists())) session.lost.throwIfAborted();
      return null;
    } catch (error) {
      if (isPassing(error) && !session.lost.aborted && (await session.exists())) return null;
      throw error;
    }
  }

  get #request(): SessionRequest & { readonly ttlMs: number } {
    const { sessionName = `${hostname()}:${process.pid}`, checks } = this.#options;
    return {
      name: sessionName,
      ttlMs: this.#options.sessionTtlMs ?? 15_000,
      behavior: this.#options.behavior ?? 'release',
      lockDelayMs: this.#options.lockDelayMs ?? 15_000,
      ...(checks === undefined ? {} : { checks }),
    };
  }

  async #openSession(): Promise<KeptSession> {
    const { session, key } = this.#options;
    if (session !== undefined)
      return KeptSession.adopt(this.#client, session.id, session.renewTtlMs ?? null, this.#clock);
    return (
      lineAt(this.#client, key)?.takeSession(this.#request) ??
      (await KeptSession.create(this.#client, this.#request, this.#clock))
    );
  }

  /** Undoes an attempt that came to nothing. It may hold the key all the same, if the answer to its write was lost. */
  async #abandon(session: KeptSession): Promise<void> {
    const { key } = this.#options;
    try {
      const { value: row } = await this.#client.get(key, { consistency: 'consistent' });
      if (row?.session === session.id)
        await this.#client.release({ key, value: this.#value, flags: row.flags, session: session.id });
      await session.end();
    } catch {
      // Why the attempt ended matters to the caller, not this. The session is not renewed from here on.
      await session.end().catch(() => {});
    }
  }
}
