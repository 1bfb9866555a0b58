/**
 * Locks and semaphores on Consul, readable by HashiCorp's Go client and `consul lock`. `connect` makes a connection,
 * whose `lock` and `semaphore` make the two recipes.
 */
import { ProblemError } from '@/lib/domain/problem';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { systemClock } from './clock';
import { Lock, type LockOptions } from './lock';
import { Semaphore, type SemaphoreOptions } from './semaphore';
import { KeptSession, sessionsEnded } from './session';

export type { Clock } from './clock';
export { AcquireTimeoutError } from './deadline';
export type { Hold } from './hold';
export type { Lock, LockAcquireOptions, LockOptions } from './lock';
export { LostError, type LostReason, lostReason } from './lost';
export type { Permit } from './permit';
export type { ReentrantKey } from './reentry';
export type { Party, Semaphore, SemaphoreAcquireOptions, SemaphoreOptions } from './semaphore';
export type { KeptSession as Session } from './session';

/** The address of Consul. The variables of the `consul` command replace absent options. */
export interface ConnectOptions {
  /** `http(s)://host:port`, `host:port` or `unix://path`. Default `CONSUL_HTTP_ADDR`, else `127.0.0.1:8500`. */
  readonly address?: string | undefined;
  /** Default `CONSUL_HTTP_TOKEN_FILE`, else `CONSUL_HTTP_TOKEN`, else none. */
  readonly token?: string | undefined;
  /**
   * Most holders and waiters of this process at one time; default 40. Each keeps a connection open. A further one waits
   * for a free connection and notices a loss late.
   */
  readonly connectionsMax?: number;
}

/** A session for several locks, which are lost together. */
export interface SessionOptions {
  /** The name in lists of sessions. */
  readonly name: string;
  /** 10 s to 24 h; default 15 s. */
  readonly ttlMs?: number;
  /** 0 to 60 s; default 15 s. */
  readonly lockDelayMs?: number;
  /** The fate of the keys when the session ends while it holds them; default `release`. */
  readonly behavior?: 'release' | 'delete';
  /** Checks that end the session when they fail; default the node's `serfHealth`. */
  readonly checks?: readonly string[];
}

/**
 * A connection to one Consul with one token. One per process is enough. Waiters that share it take turns without a
 * question to Consul.
 */
export interface Consul {
  /** Makes no request. Throws a `RangeError` for an empty key. */
  lock(options: LockOptions): Lock;
  /** Makes no request. Throws a `RangeError` for an impossible prefix or limit. */
  semaphore(options: SemaphoreOptions): Semaphore;
  /**
   * Creates a session and renews it until its `end`. Pass its `id` as the `session` of several locks, which are lost as
   * soon as it is.
   */
  session(options: SessionOptions): Promise<KeptSession>;
  /** Waits until the sessions of releases are ended, then closes every connection. Release all holds before. */
  close(): Promise<void>;
}

/** Makes no request before the first `acquire`. Throws `invalid` for an unreadable address or certificate. */
export function connect({ address, token, connectionsMax = 40 }: ConnectOptions = {}): Consul {
  const client = createConsulClient(
    consulSettings({
      ...process.env,
      ...(address === undefined ? {} : { CONSUL_HTTP_ADDR: address }),
      ...(token === undefined ? {} : { CONSUL_HTTP_TOKEN: token, CONSUL_HTTP_TOKEN_FILE: '' }),
    }),
    { maxPolls: connectionsMax },
  );
  return {
    lock: (options) => new Lock(client, options),
    semaphore: (options) => new Semaphore(client, options),
    session: ({ ttlMs = 15_000, lockDelayMs = 15_000, behavior = 'release', ...rest }) =>
      KeptSession.create(client, { ttlMs, lockDelayMs, behavior, ...rest }, systemClock),
    close: async () => {
      await sessionsEnded(client);
      client.close();
    },
  };
}

/**
 * The reason why a call failed.
 * - `conflict-in-use`: the key is not a lock, the semaphore has another limit, or the session holds the lock already.
 * - `not-found`: no semaphore has a limit to follow or change.
 * - `forbidden`, `signed-out`: the token may not do this; Consul does not know the token.
 * - `invalid`, `unwritable`: Consul refuses the request; Consul takes no write of this key.
 * - `unavailable`, `no-leader`, `busy`: Consul is unreachable, has no leader, or limits this client. Nothing was
 *   written.
 * - `unknown-result`: the link broke after a write was sent.
 */
export type FailureCode =
  | 'conflict-in-use'
  | 'not-found'
  | 'forbidden'
  | 'signed-out'
  | 'invalid'
  | 'unwritable'
  | 'unavailable'
  | 'no-leader'
  | 'busy'
  | 'unknown-result';

/**
 * The code of an error that a call threw; `null` for a timeout, a loss, an abort or a mistake in the call. The comments
 * of the methods call errors with a code `ConsulError` and `ProblemError`.
 */
export function failureCode(error: unknown): FailureCode | null {
  // The console's own codes never leave this package.
  return error instanceof ProblemError ? (error.problem.code as FailureCode) : null;
}
