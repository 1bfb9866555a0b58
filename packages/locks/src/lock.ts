/**
 * A lock: one key that one session at a time may hold, for leader election and mutual exclusion. Compatible with
 * HashiCorp's `api.Lock` and `consul lock -n=1` (whose key is `<prefix>/.lock`).
 */
import { hostname } from 'node:os';
import { backoffMs } from '@/lib/domain/pace/backoff';
import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient, SessionRequest } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { Changes } from './changes';
import { type Clock, systemClock } from './clock';
import { AcquireTimeoutError, withDeadline } from './deadline';
import { withEnding } from './first-abort';
import { HeldLock, type Hold } from './hold';
import { lineAt, lineFor } from './process-queue';
import { abandon, type Entrant, race, refuseForeign, type Won } from './race';
import { type ReentrantKey, Reentry } from './reentry';
import type { Patience } from './retry';
import { Rivalry } from './rivalry';
import { KeptSession, PassedUse } from './session';
import { giveWayMs, keepSpare, mayBeOf, takeSpare } from './spare-session';

export interface LockOptions {
  readonly key: string;
  /** The key's value while held and after; default empty. At most about 390 kB, which a transaction sends in base64. */
  readonly value?: string | Uint8Array;
  /** The name in lists of sessions; default `<host>:<pid>`. */
  readonly sessionName?: string;
  /** 10 s to 24 h; default 15 s. A holder's death shows after one to two of these. */
  readonly sessionTtlMs?: number;
  /** The time for which Consul refuses the key after it invalidated the holder's session; 0 to 60 s, default 15 s. */
  readonly lockDelayMs?: number;
  /** The fate of the key when the session ends while it holds; default `release`. */
  readonly behavior?: 'release' | 'delete';
  /** Checks that end the session when they fail; default the node's `serfHealth`. */
  readonly checks?: readonly string[];
  /**
   * Holds by this session instead of our own. It is not destroyed, and renewed only with `renewTtlMs`. If
   * `consul.session` of this connection made it, the lock is lost as soon as that session is lost or ended.
   */
  readonly session?: { readonly id: string; readonly renewTtlMs?: number };
  /** Attempts after a failed read of the monitor, and of an `acquire` that waits; default 3. */
  readonly monitorRetries?: number;
  /** The pause between these attempts; default 1 s. */
  readonly monitorRetryMs?: number;
  /**
   * The longest rest of a waiter when other processes are faster; default 2.5 s, 0 for none. Rests get shorter with the
   * wait and with the holders that the waiter has seen. A free key may lie while all waiters rest. An acquire with a
   * timeout rests at most half of it.
   */
  readonly restMaxMs?: number;
  readonly clock?: Clock;
}

export interface LockAcquireOptions {
  readonly signal?: AbortSignal;
  /** 0 or more; absent: no timeout. */
  readonly timeoutMs?: number;
  /**
   * The same key enters a lock that it holds already, any number of times, and leaves with its last release. While an
   * earlier call of the key waits, each call waits by its own terms: `tryAcquire()` does not.
   */
  readonly reentrantKey?: ReentrantKey;
}

type Attempt = Pick<Entrant, 'once' | 'untilMs'>;

/** The pause before a new start with another session. */
const anewBackoff = { firstMs: 250, maxMs: 2_000 };

/**
 * The steps of `acquire`, after `Lock` in api/lock.go.
 * - LINE up behind the waiters of this process for the same key (`process-queue.ts`), unless the session was passed in.
 * - READ the key while the session is made. Foreign flags: conflict. A recent holder still has its session, and gives
 *   way first (`spare-session.ts`).
 * - RACE for the key (`race.ts`).
 * - When the session ends during the wait: start again with a new one. A passed session: an error.
 */
export class Lock {
  readonly #client: ConsulClient;
  readonly #options: LockOptions;
  readonly #clock: Clock;
  readonly #patience: Patience;
  readonly #value: Buffer;
  readonly #reentry = new Reentry();
  readonly #rivalry: Rivalry;
  /** `null`: no session was passed. */
  readonly #use: PassedUse | null;

  /** @internal By `Consul.lock`. */
  constructor(client: ConsulClient, options: LockOptions) {
    if (options.key === '') throw new RangeError('A lock needs a key.');
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#patience = { retries: options.monitorRetries ?? 3, retryMs: options.monitorRetryMs ?? 1_000 };
    this.#value = Buffer.from(options.value ?? '');
    this.#use = options.session === undefined ? null : new PassedUse(client, options.session.id, options.key);
    this.#rivalry = new Rivalry(options.restMaxMs ?? 2_500, () => this.#clock.random());
  }

  /**
   * Waits until the lock is ours. Throws the signal's reason, an `AcquireTimeoutError`, a `ConsulError`, or a
   * `LostError` when a passed session is gone. Throws a `ProblemError` of code `conflict-in-use` when the key is not a
   * lock, or when this connection holds or awaits it by the passed session. A passed session that got the key elsewhere
   * receives that hold, as in `Lock` of api/lock.go. Before a throw it removes everything that it created, which may
   * take some seconds without an answer from Consul. If a passed session may have got the key by then, it repeats these
   * calls `monitorRetries` times.
   */
  async acquire({ signal, timeoutMs, reentrantKey }: LockAcquireOptions = {}): Promise<Hold> {
    const untilMs = this.#clock.monotonicMs() + (timeoutMs ?? Number.POSITIVE_INFINITY);
    const hold = await withDeadline(
      {
        what: `The lock ${this.#options.key}`,
        ...(signal === undefined ? {} : { signal }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
      (deadline) =>
        this.#reentry.enter(reentrantKey, { once: false, signal: deadline }, () =>
          this.#contend({ once: false, untilMs }, deadline),
        ),
    );
    if (hold === null) throw new Error('A blocking acquire ended without a lock.');
    return hold;
  }

  /** As `acquire`; `null`: not available at once (0, the default) or within `timeoutMs`. */
  async tryAcquire(
    timeoutMs = 0,
    { signal, reentrantKey }: Omit<LockAcquireOptions, 'timeoutMs'> = {},
  ): Promise<Hold | null> {
    const aborted = signal ?? new AbortController().signal;
    const once = () => this.#contend({ once: true, untilMs: Number.POSITIVE_INFINITY }, aborted);
    if (timeoutMs === 0) return this.#reentry.enter(reentrantKey, { once: true, signal: aborted }, once);
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

  /**
   * Runs `work` under the lock and then releases it, even if `work` throws. The hold's `lost` signals a loss. After one,
   * `work` alone decides the outcome, also when the release fails: a passed session may then keep the key.
   */
  async run<T>(work: (hold: Hold) => Promise<T>, options: LockAcquireOptions = {}): Promise<T> {
    const hold = await this.acquire(options);
    try {
      return await work(hold);
    } finally {
      await hold.release().catch((error: unknown) => {
        if (!hold.lost.aborted) throw error;
      });
    }
  }

  /** True when any client holds the key right now. */
  async isLocked(): Promise<boolean> {
    return (await this.#client.get(this.#options.key, { consistency: 'consistent' })).value?.session != null;
  }

  /** The number of entries of this owner, in this process. */
  holdCount(reentrantKey: ReentrantKey): number {
    return this.#reentry.count(reentrantKey);
  }

  /**
   * Deletes the key if no client holds it. True: it is gone. False: it is in use, or was taken meanwhile. Throws on
   * foreign flags. The fencing token starts over afterwards. Authority: `Destroy` in api/lock.go.
   */
  async destroy(): Promise<boolean> {
    const { value: row } = await this.#client.get(this.#options.key, { consistency: 'consistent' });
    if (row === null) return true;
    refuseForeign(row);
    return row.session === null && (await this.#client.deleteCas(row.key, row.modifyIndex));
  }

  async #contend(attempt: Attempt, signal: AbortSignal): Promise<Hold | null> {
    const { once } = attempt;
    const use = this.#use;
    if (use?.begin() === false)
      throw new ProblemError({
        code: 'conflict-in-use',
        detail: 'This session holds or awaits the lock already.',
      });
    let hold: Hold | null = null;
    let leave = () => {};
    try {
      // A passed session may hold the key already, so it does not wait behind another.
      if (!once && use === null) leave = await lineFor(this.#client, this.#options.key).enter(signal);
      // A session is not worth making when the answer is already no.
      if (once && !(await this.#mayTake(signal))) return null;
      do hold = await this.#contendOnce(attempt, signal);
      while (hold === null && !once);
      return hold;
    } finally {
      leave();
      if (hold === null) use?.end();
    }
  }

  async #mayTake(signal: AbortSignal): Promise<boolean> {
    const { value: row } = await this.#client.get(this.#options.key, { consistency: 'consistent', signal });
    refuseForeign(row);
    return row?.session == null || row.session === this.#options.session?.id;
  }

  /** The attempt of one session. `null`: not available at once, or the session was lost during the wait. */
  async #contendOnce({ once, untilMs }: Attempt, signal: AbortSignal): Promise<Hold | null> {
    const { key } = this.#options;
    const passed = this.#options.session;
    const spare = once || passed !== undefined ? null : takeSpare(this.#client, key, this.#request);
    /** True when a row may come from an earlier hold by a reused session. */
    const mayBeOld = (row: KvRow | null) =>
      row?.session != null &&
      (row.session === passed?.id || (row.session === spare?.session.id && mayBeOf(spare.row, row)));
    // A read shows when to try, and the write decides. A quorum read would wait behind the present writes, which after
    // a release are our rivals'. Only a read that finds the key ours must be true.
    const changes = new Changes<KvRow | null>(async (options) => {
      const reply = await this.#client.get(key, { ...options, consistency: 'default' });
      if (!mayBeOld(reply.value)) return reply;
      const { block: _block, ...plain } = options;
      return this.#client.get(key, plain);
    }, this.#patience);
    const clock = this.#clock;
    const ready =
      spare?.session ?? (passed === undefined ? null : KeptSession.adopt(this.#client, passed, clock));
    const opening =
      ready === null ? KeptSession.create(this.#client, this.#request, clock) : Promise.resolve(ready);
    let first = spare === null ? changes.now(signal) : null;
    // The await below reports an earlier failure.
    first?.catch(() => {});
    const session = await opening.catch(async (error: unknown) => {
      // The caller must learn that Consul cannot be read.
      await first;
      throw error;
    });
    const front =
      once || passed !== undefined
        ? null
        : lineFor(this.#client, key).stand({ session: session.id, value: this.#value });
    let won: Won | null = null;
    let sinceMs: number | null = null;
    const writes = { mayHold: false };
    try {
      if (spare !== null) {
        const ms = giveWayMs(spare, this.#clock.monotonicMs());
        if (ms > 0) await pause(ms, signal);
        // A waiter of the line wins the key from other processes, or receives it.
        else if (!spare.waits) sinceMs = spare.sinceMs;
        // Without rivals the key is not left to any.
        if (!spare.met) first = changes.now(signal);
      }
      const entrant = {
        client: this.#client,
        key,
        value: this.#value,
        session,
        changes,
        rivalry: this.#rivalry,
        clock: this.#clock,
        once,
        untilMs,
        called: front?.called ?? null,
        writes,
      };
      won = await withEnding([signal, session.lost], (ended) => race(entrant, first, ended));
    } catch (error) {
      if (signal.aborted || !session.lost.aborted || passed !== undefined) throw error;
      // An operator or a restored snapshot ended our waiting session, which is no reason to give up.
      await pause(backoffMs(0, { ...anewBackoff, random: () => this.#clock.random() }), signal);
    } finally {
      await front?.leave();
      const mayHold = writes.mayHold || front?.called.aborted === true;
      const failed = { client: this.#client, key, value: this.#value, session };
      // Our own session frees the key when it ends, so one try is enough.
      const patience = passed === undefined ? { retries: 0, retryMs: 0 } : this.#patience;
      if (won === null) await abandon(failed, mayHold, patience);
    }
    if (won === null) return null;
    if (won.met || won.rested) sinceMs = null;
    return this.#hold(session, won, front?.amongUsSinceMs ?? sinceMs ?? this.#clock.monotonicMs());
  }

  /** `sinceMs`: the instant at which this process won the key from others. */
  #hold(session: KeptSession, { row, met, ...won }: Won, sinceMs: number): Hold {
    const client = this.#client;
    const use = this.#use;
    const { key } = row;
    let askedMs = 0;
    let { answered } = won;
    return new HeldLock({
      client,
      session,
      row,
      value: this.#value,
      patience: this.#patience,
      handOn: async () => {
        askedMs = this.#clock.monotonicMs();
        const given = await lineAt(client, key)?.handOn({ nowMs: askedMs, sinceMs }, async (to) => {
          answered = false;
          const outcome = await client.txn([
            { verb: 'unlock', key, value: this.#value, flags: row.flags, session: session.id },
            { verb: 'lock', key, value: to.value, flags: lockFlags, session: to.session },
          ]);
          answered = true;
          return outcome.done;
        });
        return given === true;
      },
      passOn: () =>
        answered &&
        this.#options.session === undefined &&
        keepSpare(client, key, {
          session,
          row,
          met,
          request: this.#request,
          sinceMs,
          askedMs,
          leftMs: this.#clock.monotonicMs(),
          waits: lineAt(client, key)?.waits === true,
        }),
      onEnd: () => use?.end(),
      reuse: use === null ? null : () => use.begin(),
    });
  }

  get #request(): SessionRequest & { readonly ttlMs: number } {
    const { sessionName: name = `${hostname()}:${process.pid}`, checks } = this.#options;
    const { sessionTtlMs: ttlMs = 15_000, behavior = 'release', lockDelayMs = 15_000 } = this.#options;
    return { name, ttlMs, behavior, lockDelayMs, ...(checks === undefined ? {} : { checks }) };
  }
}
