/**
 * The seam. A provider is one folder that knows one backend; everything above it speaks only the domain.
 * Consul is the first. ZooKeeper (Curator) and Redis (Redisson) come through the same methods, so
 * nothing here may assume an index, a session TTL or a blocking query.
 */
import type { Action } from '@/lib/domain/actions/action';
import type { Expect, Saw } from '@/lib/domain/actions/expect';
import type { Outcome, Plan } from '@/lib/domain/actions/plan';
import type { Right, RightTo } from '@/lib/domain/identity';
import type { Renewal, Subject, World } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { SourceId } from '@/lib/domain/source';
import type { SourceState } from '@/lib/domain/source-state';
import type { LockRef } from '@/lib/domain/subject';
import type { Probed } from './probe';

export interface Planned {
  readonly plan: Plan;
  /** What the plan read: opaque to everyone but the provider, sent back unchanged to `apply`. */
  readonly expect: Expect;
}

export interface ProviderListener {
  /**
   * A complete world, after every change that was read. Unchanged rows keep their identity (`===`). A large change is taken in
   * slices: a promise resolves when the world is shown.
   */
  world(world: World, asOfMs: number): void | Promise<void>;
  /** Renewals alone have moved since the last world: at most once a second. Sorted by id. */
  renewals?(renewals: readonly Renewal[], asOfMs: number): void;
  /** Freshness, whenever it changes. */
  source(source: SourceState): void;
  /** The backend has answered: what is live was confirmed then. Every few seconds at least, while it answers. */
  contact?(atMs: number): void;
  /**
   * From here on `watch` tells what this listener would be told, one and the same for every credential of the same rights: who
   * shows it once for all of them does no work twice. `null`: this listener is told by itself again, and knows nothing yet.
   * Left out, the listener is told by itself always.
   */
  shares?(watch: SharedWatch | null): void;
}

/** What several credentials are shown alike. Ends when the signal aborts, or when nobody has these rights any more. */
export type SharedWatch = Pick<Provider, 'id' | 'watch'>;

/** A lock's entry, the record that names a semaphore's holders, or any entry whose name begins with the prefix. */
export type Readable =
  | Exclude<Subject, { readonly kind: 'session' }>
  | { readonly source: SourceId; readonly kind: 'below'; readonly prefix: string };

export interface Provider {
  /** Of its backend. What it tells names its sources itself (`SourceState`, each row's `source`). */
  readonly id: string;
  /** Reads and watches until aborted, through every outage; resolves when everything it started has ended. */
  watch(listener: ProviderListener, signal: AbortSignal): Promise<void>;
  /** A dry run on a fresh, consistent read. Writes nothing. */
  plan(action: Action, signal: AbortSignal): Promise<Planned | Problem>;
  /**
   * Why this cannot be applied, as far as that is known without asking the backend: what it names is not in view, or no plan
   * of this action gives this `expect`. `null`: nothing speaks against it so far.
   */
  refuses?(action: Action, expect: Expect): Problem | null;
  /**
   * What its plan saw by this `expect`, for the record and for people. Nothing where it is none of this provider's, which
   * `refuses` says. Left out, nothing is known of it.
   */
  saw?(action: Action, expect: Expect): Saw;
  /**
   * Does it, if what `expect` saw still holds, and reports what was seen to happen.
   * Returns `stale` with the difference when it does not, `unknown-result` when the link broke after sending.
   */
  apply(action: Action, expect: Expect, signal: AbortSignal): Promise<Outcome | Problem>;
  /**
   * Whether the backend refuses this lock to everyone right now, asked of the backend itself; optional, as not every
   * backend can be asked. Must change nothing that anyone can see. It may cost a write: never call it in a loop.
   */
  probe?(lock: LockRef, signal: AbortSignal): Promise<Probed | Problem>;
  /**
   * What the backend says of the right to each of these actions, in their order, before a button is pressed, and which rules
   * each action takes.
   * Optional: a backend without rights has nothing to ask. The backend enforces them all the same when it is done.
   */
  rights?(actions: readonly Action[], signal: AbortSignal): Promise<readonly RightTo[]>;
  /** Whether this credential may read each of these, in their order, whether they exist or not. */
  readable?(what: readonly Readable[], signal: AbortSignal): Promise<readonly Right[]>;
  /** Whether this credential may read every session of a source, and the health of the nodes and checks that sessions depend on. */
  seesSessions?(source: SourceId, signal: AbortSignal): Promise<Right>;
  /**
   * Whether this credential may see who has which credential (for Consul: `acl:read`). Whoever may is shown what
   * everybody did.
   */
  oversees?(signal: AbortSignal): Promise<Right>;
  /** Closes connections. The provider is not used afterwards. */
  close(): void;
}
