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
  /** Only renewals moved since the last world. Called at most once a second, sorted by id. */
  renewals?(renewals: readonly Renewal[], asOfMs: number): void;
  /** Freshness, whenever it changes. */
  source(source: SourceState): void;
  /** The backend has answered: what is live was confirmed then. Every few seconds at least, while it answers. */
  contact?(atMs: number): void;
  /**
   * From here on `watch` brings this listener the same events as all credentials of the same rights. They can be shown
   * once for all. `null`: the listener is on its own again, and knows nothing yet. A listener without this method
   * always is.
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
  /** The id of its backend. Each `SourceState` and each row names its own source. */
  readonly id: string;
  /** Watches until aborted, through every outage. Resolves when everything that it started has ended. */
  watch(listener: ProviderListener, signal: AbortSignal): Promise<void>;
  /** A dry run on a fresh, consistent read. Writes nothing. */
  plan(action: Action, signal: AbortSignal): Promise<Planned | Problem>;
  /**
   * The reason why this action cannot be applied, without a question to the backend: its subject is not in view, or no
   * plan of this action gives this `expect`. `null`: no objection so far.
   */
  refuses?(action: Action, expect: Expect): Problem | null;
  /**
   * The state that the plan of this `expect` saw, for the record and for people: a release names the holder that it
   * removes. Empty when no plan of this provider gives it, which `refuses` says.
   */
  saw(action: Action, expect: Expect): Saw;
  /**
   * Applies the action if the state in `expect` still holds, and reports the effects that it saw. Returns `stale` with
   * the difference otherwise, and `unknown-result` when the link broke after sending.
   */
  apply(action: Action, expect: Expect, signal: AbortSignal): Promise<Outcome | Problem>;
  /**
   * Finds out if the backend refuses this lock to every client right now. Must change nothing visible. It may cost a
   * write, so never call it in a loop.
   */
  probe?(lock: LockRef, signal: AbortSignal): Promise<Probed | Problem>;
  /**
   * The right to each of these actions, in their order, and the rules that each takes. The backend enforces them all
   * the same.
   */
  rights?(actions: readonly Action[], signal: AbortSignal): Promise<readonly RightTo[]>;
  /** The right to read each of these, in their order, whether they exist or not. */
  readable?(what: readonly Readable[], signal: AbortSignal): Promise<readonly Right[]>;
  /** The right to read every session of a source, and the health of the nodes and checks that sessions depend on. */
  seesSessions?(source: SourceId, signal: AbortSignal): Promise<Right>;
  /**
   * True when a reader may show their view of this source to others. False where every reader sees the source with the
   * server's own credential. Absent: they may, within their rights.
   */
  mayPassOn?(source: SourceId): boolean;
  /**
   * The right to see who has which credential (for Consul: `acl:read`). A person with this right sees the actions of
   * all people.
   */
  oversees?(signal: AbortSignal): Promise<Right>;
  /** Closes connections. The provider is not used afterwards. */
  close(): void;
}
