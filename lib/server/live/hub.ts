/**
 * The hub of one credential: a provider's worlds as numbered snapshots, and the patches between them, for any number of
 * viewers.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Provider, ProviderListener } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import type { WorldStep } from '@/lib/domain/world/change';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { Versions, type VersionsOptions } from './versions';

export interface HubListener {
  /** False: it is not among the hub's `viewers`. Absent: it is. */
  readonly isReader?: false;
  step(step: WorldStep, snapshot: Snapshot): void;
  closed(): void;
  /** The next data are unrelated to earlier ones: another instance. */
  turned?(): void;
}

export type Start =
  | { readonly from: 'steps'; readonly steps: readonly WorldStep[] }
  | { readonly from: 'snapshot'; readonly snapshot: Snapshot };

export interface Hub {
  /** Versions of other hubs, or from before a restart, are void here. */
  readonly instance: string;
  /** Itself, or a shared hub (`joined-hub.ts`). */
  readonly base: Hub;
  /** Calls `make` in the context of the hub's creation, so that lasting objects keep no request in memory (0036). */
  apart<T>(make: () => T): T;
  readonly viewers: number;
  /** False before the first read, when an empty world means unknown. */
  readonly read: boolean;
  /** `null` before the first answer, or where unknown. */
  readonly contactMs: number | null;
  snapshot(): Snapshot;
  /** `null`: it is not shown yet. */
  shownOf(finding: Finding): Finding | null;
  /** `null` when some are dropped. */
  since(version: number): readonly WorldStep[] | null;
  /** `since`: the viewer's version, `null` for none. */
  subscribe(listener: HubListener, since: number | null): { readonly start: Start; leave(): void };
  /** Resolves after the first read, after `timeoutMs`, or when the hub closes. */
  ready(timeoutMs: number): Promise<void>;
  /** Resolves when the watch has ended. */
  close(): Promise<void>;
}

export interface HubOptions extends Pick<VersionsOptions, 'now' | 'findingsOf' | 'findingChanges'> {
  readonly provider: Pick<Provider, 'id' | 'watch'>;
  readonly instance: string;
  /** The source's state has changed; for the log. */
  readonly onSource?: (source: SourceState) => void;
  /** For a hub that follows another one, that hub's `contactMs`. */
  readonly contactMs?: () => number | null;
  /** The watch ended for a bug. */
  readonly onBug: (error: unknown) => void;
}

/** The pause after a bug ended the watch. */
const restartMs = 5_000;

export function createHub(options: HubOptions): Hub {
  const { provider, instance, onBug } = options;
  const listeners = new Set<HubListener>();
  let watch: { readonly end: AbortController; readonly ended: Promise<void> } | null = null;
  let restart: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  let contactMs: number | null = null;
  /** One shared promise would keep each caller's request in memory (0036). */
  const waiting = new Set<() => void>();
  /**
   * True when each source was read, or is known to be away. A single source would report the rows of the others as
   * gone.
   */
  const isReady = () =>
    closed ||
    (versions.read &&
      (versions.snapshot.source.parts ?? []).every((part) => wasRead(part) || part.state === 'down'));
  const announceReady = () => {
    if (waiting.size > 0 && isReady()) for (const wake of [...waiting]) wake();
  };
  const versions = new Versions({
    ...options,
    provider: provider.id,
    onStep: (step, snapshot) => {
      for (const listener of [...listeners]) listener.step(step, snapshot);
      announceReady();
    },
    onRead: announceReady,
  });
  const providerListener: ProviderListener = {
    world: (world, asOfMs) => versions.takeWorld(world, asOfMs),
    renewals: (renewals, asOfMs) => versions.takeRenewals(renewals, asOfMs),
    source: (source) => {
      options.onSource?.(source);
      versions.takeSource(source);
    },
    contact: (atMs) => {
      contactMs = atMs;
    },
  };
  const start = () => {
    if (closed) return;
    const end = new AbortController();
    const ended = provider.watch(providerListener, end.signal).catch((error: unknown) => {
      onBug(error);
      if (closed || end.signal.aborted) return;
      // Without a watch, the last state must not count as live.
      versions.rest();
      restart = setTimeout(start, restartMs);
    });
    watch = { end, ended };
  };
  start();

  const hub: Hub = {
    instance,
    get base() {
      return hub;
    },
    apart: AsyncResource.bind(<T>(make: () => T) => make()),
    get read() {
      return versions.read;
    },
    get contactMs() {
      return options.contactMs?.() ?? contactMs;
    },
    get viewers() {
      return [...listeners].filter(({ isReader }) => isReader !== false).length;
    },
    snapshot: () => versions.snapshot,
    shownOf: (finding) => versions.shownOf(finding),
    since: (version) => versions.since(version),
    subscribe: (listener, since) => {
      listeners.add(listener);
      const steps = since === null ? null : versions.since(since);
      return {
        start: steps === null ? { from: 'snapshot', snapshot: versions.snapshot } : { from: 'steps', steps },
        leave: () => void listeners.delete(listener),
      };
    },
    ready: async (timeoutMs) => {
      if (isReady()) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timeout);
          waiting.delete(wake);
          resolve();
        };
        const timeout = setTimeout(wake, timeoutMs);
        waiting.add(wake);
      });
    },
    close: async () => {
      closed = true;
      versions.close();
      announceReady();
      clearTimeout(restart);
      for (const listener of [...listeners]) listener.closed();
      listeners.clear();
      watch?.end.abort();
      await watch?.ended;
    },
  };
  return hub;
}
