/**
 * The seam. A provider is one folder that knows one backend; everything above it speaks only the domain. Other backends
 * come through the same methods, so nothing here may assume an index, a session TTL or a blocking query.
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
  /** Opaque to all but the provider, sent back unchanged to `apply`. */
  readonly expect: Expect;
}

export interface ProviderListener {
  /**
   * A complete world, after every change. Unchanged rows keep their identity (`===`). A large change is taken in
   * slices: the promise resolves when the world is shown.
   */
  world(world: World, asOfMs: number): void | Promise<void>;
  /** Only renewals moved since the last world; at most once a second. Sorted by id. */
  renewals?(renewals: readonly Renewal[], asOfMs: number): void;
  /** Freshness, whenever it changes. */
  source(source: SourceState): void;
  /** The backend has answered: what is live was confirmed then. Every few seconds at least, while it answers. */
  contact?(atMs: number): void;
  /**
   * From here on `watch` brings this listener's events, the same for all credentials of the same rights, so that they
   * can be shown once for all. `null`: the listener is on its own again, and knows nothing yet. A listener without this
   * method always is.
   */
  shares?(watch: SharedWatch | null): void;
}

/** Ends when the signal aborts, or when no credential has these rights any more. */
export type SharedWatch = Pick<Provider, 'id' | 'watch'>;

/** A lock's entry, the record that names a semaphore's holders, or any entry whose name begins with the prefix. */
export type Readable =
  | Exclude<Subject, { readonly kind: 'session' }>
  | { readonly source: SourceId; readonly kind: 'below'; readonly prefix: string };

export interface Provider {
  /** Of its backend. What it tells names its sources itself (`SourceState`, each row's `source`). */
  readonly id: string;
  /** Until aborted, through every outage; resolves when everything it started has ended. */
  watch(listener: ProviderListener, signal: AbortSignal): Promise<void>;
  /** A dry run on a fresh, consistent read. Writes nothing. */
  plan(action: Action, signal: AbortSignal): Promise<Planned | Problem>;
  /**
   * Why this cannot be applied, without asking the backend: its subject is not in view, or no plan of this action gives
   * this `expect`. `null`: no objection so far.
   */
  refuses?(action: Action, expect: Expect): Problem | null;
  /**
   * What its plan saw by this `expect`, for the record and for people: a release names the holder that it removes. Nothing
   * where it is none of this provider's, which `refuses` says.
   */
  saw(action: Action, expect: Expect): Saw;
  /**
   * Applies it if what `expect` saw still holds, and reports what was seen to happen. Returns `stale` with the
   * difference otherwise, `unknown-result` when the link broke after sending.
   */
  apply(action: Action, expect: Expect, signal: AbortSignal): Promise<Outcome | Problem>;
  /**
   * Whether the backend refuses this lock to every client right now. Must change nothing visible. It may cost a write:
   * never call it in a loop.
   */
  probe?(lock: LockRef, signal: AbortSignal): Promise<Probed | Problem>;
  /**
   * The right to each of these actions, in their order, and the rules that each takes. The backend enforces them all
   * the same.
   */
  rights?(actions: readonly Action[], signal: AbortSignal): Promise<readonly RightTo[]>;
  /** Whether this credential may read each of these, in their order, whether they exist or not. */
  readable?(what: readonly Readable[], signal: AbortSignal): Promise<readonly Right[]>;
  /** Whether this credential may read every session of a source, and the health of the nodes and checks that sessions depend on. */
  seesSessions?(source: SourceId, signal: AbortSignal): Promise<Right>;
  /**
   * Whether its reader may show what it sees of this source to others. False where the server's own credential lends
   * the sight to whoever is signed in. Absent: they may, within their rights.
   */
  mayPassOn?(source: SourceId): boolean;
  /**
   * Whether this credential may see who has which credential (for Consul: `acl:read`). Whoever may is shown what
   * everybody did.
   */
  oversees?(signal: AbortSignal): Promise<Right>;
  /** Closes connections. The provider is not used afterwards. */
  close(): void;
}
