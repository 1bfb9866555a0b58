/**
 * Keeps a session alive while its owner depends on it.
 *
 * `alive` -> `ended` (by `end`) or `lost`.
 * - `alive`: renewed every half TTL. The server may answer with another TTL, which is adopted. A failed renewal is
 *   repeated every second.
 * - `lost`: a renewal found the session gone (`session-invalidated`), or none succeeded for a whole TTL, after which
 *   Consul may end it without our knowledge (`monitor-failed`). A lost session never returns. Authority:
 *   `RenewPeriodic` in HashiCorp's api/session.go.
 */
import type { ConsulClient, SessionRequest } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import type { Clock } from './clock';
import { LostError, type LostReason } from './lost';
import { persist } from './retry';

const retryMs = 1_000;
const endPatience = { retries: 2, retryMs: 500 };

const endings = new WeakMap<ConsulClient, Set<Promise<void>>>();

/**
 * Resolves when every end of a session of this client has succeeded or failed. A release does not wait for this. Wait
 * here before the client closes or the process exits, or the session stays until its TTL.
 * @internal
 */
export async function sessionsEnded(client: ConsulClient): Promise<void> {
  await Promise.allSettled(endings.get(client) ?? []);
}

/**
 * Makes `sessionsEnded` wait for `ending`.
 * @internal
 */
export function rememberEnding(client: ConsulClient, ending: Promise<void>): void {
  const ofClient = endings.get(client) ?? new Set();
  endings.set(client, ofClient);
  ofClient.add(ending);
  const forget = () => void ofClient.delete(ending);
  ending.then(forget, forget);
}

/** The sessions that each client made and has not ended. */
const made = new WeakMap<ConsulClient, Map<string, KeptSession>>();

/** The keys in use by passed sessions, of each client. */
const inUse = new WeakMap<ConsulClient, Set<string>>();

/**
 * The use of one key by one passed session: a wait, a hold or a late release. A client has one at a time, for all its
 * locks. Consul would grant the session the key twice, and the release of one hold would free the key of the other.
 * @internal
 */
export class PassedUse {
  readonly #ofClient: Set<string>;
  readonly #name: string;

  constructor(client: ConsulClient, sessionId: string, key: string) {
    this.#ofClient = inUse.get(client) ?? new Set();
    inUse.set(client, this.#ofClient);
    this.#name = `${sessionId} ${key}`;
  }

  /** False: in use already. */
  begin(): boolean {
    if (this.#ofClient.has(this.#name)) return false;
    this.#ofClient.add(this.#name);
    return true;
  }

  end(): void {
    this.#ofClient.delete(this.#name);
  }
}

/** Renews a session until `end`, or until it is lost. `create` makes our own, `adopt` takes one that exists. */
export class KeptSession {
  readonly #stop = new AbortController();
  readonly #lost = new AbortController();
  #ttlMs: number;
  #ending: Promise<void> | null = null;
  /** Monotonic milliseconds. Renewals stop when less than a TTL is left until then. */
  #untilMs = Number.POSITIVE_INFINITY;
  #running = false;
  /** Those that `adopt` made of this session. Node warns of a leak when one signal has many listeners. */
  private readonly adopted = new Set<KeptSession>();
  /** The session that this one was adopted from, if this client made it. */
  private maker: KeptSession | null = null;

  private constructor(
    private readonly client: ConsulClient,
    private readonly clock: Clock,
    readonly id: string,
    ttlMs: number,
    private readonly owned: boolean,
  ) {
    this.#ttlMs = ttlMs;
  }

  /**
   * Creates a session and keeps it. There is no abort, because a session with an unknown id could not be ended. Throws
   * a `ConsulError`; after `unknown-result` a session may be left until its TTL.
   * @internal
   */
  static async create(
    client: ConsulClient,
    request: SessionRequest & { readonly ttlMs: number },
    clock: Clock,
  ): Promise<KeptSession> {
    const session = new KeptSession(client, clock, await client.createSession(request), request.ttlMs, true);
    const ofClient = made.get(client) ?? new Map<string, KeptSession>();
    made.set(client, ofClient);
    ofClient.set(session.id, session);
    session.keep();
    return session;
  }

  /**
   * Keeps a session that exists. It is never ended here, and renewed only with `renewTtlMs`. If this client made it,
   * its loss or its `end` loses this one at once. Throws a `LostError` when it is lost already.
   * @internal
   */
  static adopt(
    client: ConsulClient,
    { id, renewTtlMs }: { readonly id: string; readonly renewTtlMs?: number },
    clock: Clock,
  ): KeptSession {
    const maker = made.get(client)?.get(id) ?? null;
    maker?.lost.throwIfAborted();
    const session = new KeptSession(client, clock, id, renewTtlMs ?? 0, false);
    session.maker = maker;
    maker?.adopted.add(session);
    if (renewTtlMs !== undefined) session.keep();
    return session;
  }

  /** Aborts with a `LostError` when the session is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The TTL in the server's last answer. */
  get ttlMs(): number {
    return this.#ttlMs;
  }

  /**
   * Renews now, and later only as far as the session must reach `untilMs` (monotonic), so that Consul ends the lease of
   * a dead client. False: the session is gone. Throws a `ConsulError`.
   * @internal
   */
  async renewUntil(untilMs: number): Promise<boolean> {
    this.#untilMs = untilMs;
    const row = await persist(() => this.client.renewSession(this.id), endPatience);
    if (row === null) {
      // We ended the session during the question, so it is not lost.
      if (this.#ending === null) this.lose('session-invalidated');
      return false;
    }
    this.#ttlMs = row.ttlMs ?? this.#ttlMs;
    this.keep();
    return true;
  }

  /**
   * Asks Consul for the session, and marks a missing one as `lost`. True also without an answer.
   * @internal
   */
  async exists(): Promise<boolean> {
    const reply = await this.client.session(this.id, { consistency: 'consistent' }).catch(() => null);
    if (reply === null || reply.value !== null) return true;
    this.lose('session-invalidated');
    return false;
  }

  /**
   * Stops renewing, and destroys our own session, whose keys are released or deleted by its behavior. Locks that hold
   * by it are lost. Call it after a loss, too. Repeated calls are safe. Throws a `ConsulError` when Consul is
   * unreachable; the TTL then ends the session.
   */
  end(): Promise<void> {
    this.#stop.abort();
    if (this.#ending === null) {
      if (this.owned) made.get(this.client)?.delete(this.id);
      this.maker?.adopted.delete(this);
      this.#ending = this.owned
        ? persist(() => this.client.destroySession(this.id), endPatience)
        : Promise.resolve();
      rememberEnding(this.client, this.#ending);
      // Without an answer from Consul, nothing else would tell their holders.
      this.loseAdopted('session-invalidated');
    }
    return this.#ending;
  }

  private lose(reason: LostReason): void {
    this.#stop.abort();
    if (!this.#lost.signal.aborted) this.#lost.abort(new LostError(reason));
    this.loseAdopted(reason);
  }

  private loseAdopted(reason: LostReason): void {
    for (const session of this.adopted) session.lose(reason);
    this.adopted.clear();
  }

  private keep(): void {
    if (this.#running || this.#stop.signal.aborted) return;
    this.#running = true;
    this.renewals()
      .catch(() => {
        // Only `end` and `lose` abort the pause.
      })
      .finally(() => {
        this.#running = false;
      });
  }

  private async renewals(): Promise<void> {
    const { signal } = this.#stop;
    let renewedMs = this.clock.monotonicMs();
    let waitMs = this.#ttlMs / 2;
    let failed = false;
    while (this.#untilMs - renewedMs > this.#ttlMs) {
      await pause(waitMs, signal);
      const askedMs = this.clock.monotonicMs();
      const leftMs = renewedMs + this.#ttlMs - askedMs;
      if (failed && leftMs <= 0) return this.lose('monitor-failed');
      try {
        const row = await this.client.renewSession(this.id, {
          signal,
          // The request ends within the TTL. A process that was stopped for longer still asks once.
          timeoutMs: Math.min(Math.max(1_000, this.#ttlMs / 2), leftMs > 0 ? Math.ceil(leftMs) : retryMs),
        });
        if (row === null) return this.lose('session-invalidated');
        this.#ttlMs = row.ttlMs ?? this.#ttlMs;
        // Counts from the question, because Consul may have renewed long before its answer.
        renewedMs = askedMs;
        failed = false;
        waitMs = this.#ttlMs / 2;
      } catch {
        signal.throwIfAborted();
        failed = true;
        const stillMs = renewedMs + this.#ttlMs - this.clock.monotonicMs();
        if (stillMs <= 0) return this.lose('monitor-failed');
        waitMs = Math.min(retryMs, stillMs);
      }
    }
  }
}
