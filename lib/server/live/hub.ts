/**
 * One hub for one credential: a provider's worlds as numbered snapshots, and the patches between them, for any number
 * of viewers. The load on the backend depends on hubs, never on viewers.
 */
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Renewal, World } from '@/lib/domain/model';
import type { FindingMoved } from '@/lib/domain/rules/table';
import type { Provider } from '@/lib/domain/seam/provider';
import { catchingUp, freshestOf, partOf, partsOf, type SourceState } from '@/lib/domain/source-state';
import { inSlices, type Steps } from '@/lib/domain/steps';
import { type MovedWorld, movingWorld, type Step, stepOf } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createRing } from './ring';
import { createShownFindings } from './shown-findings';

export interface HubListener {
  /** The step leads to `snapshot`. */
  step(step: Step, snapshot: Snapshot): void;
  /** The hub closes: the server ends. */
  closed(): void;
  /** The next data are unrelated to earlier ones: another instance, with its own versions. */
  turned?(): void;
}

/** The start of a viewer: the steps since its version, or a whole snapshot. */
export type Start =
  | { readonly from: 'steps'; readonly steps: readonly Step[] }
  | { readonly from: 'snapshot'; readonly snapshot: Snapshot };

export interface Hub {
  /** Names this hub in this process: versions of other hubs, or from before a restart, are void here. */
  readonly instance: string;
  /** The hub that numbers its snapshots: itself, or a shared one (`joined-hub.ts`). */
  readonly base: Hub;
  /** Calls `make` in the context of the hub's creation, so that lasting objects keep no request in memory (0036). */
  apart<T>(make: () => T): T;
  readonly viewers: number;
  /** A world was read; until then an empty world means unknown. */
  readonly read: boolean;
  /** The backend's last answer; `null` before the first, or where unknown. */
  readonly contactMs: number | null;
  snapshot(): Snapshot;
  /** A finding as it is shown now; `null`: it is not shown yet. */
  shownOf(finding: Finding): Finding | null;
  /** The steps from `version` to the snapshot; `null` when some are dropped. */
  since(version: number): readonly Step[] | null;
  /** `since`: the viewer's version, `null` for none. `leave` ends the subscription. */
  subscribe(listener: HubListener, since: number | null): { readonly start: Start; leave(): void };
  /** Resolves after the first read, after `timeoutMs`, or when the hub closes. */
  ready(timeoutMs: number): Promise<void>;
  /** Ends all streams and the watch. Resolves when the watch has ended. */
  close(): Promise<void>;
}

export interface HubOptions {
  readonly provider: Pick<Provider, 'id' | 'watch'>;
  readonly now: () => number;
  readonly instance: string;
  /** All findings of a world; without `findingChanges`, of the latest world only. */
  readonly findingsOf: (world: World) => readonly Finding[];
  /**
   * The changes of findings from one world to the next, sorted by id. With this the hub keeps no findings: `findingsOf`
   * computes a snapshot's on demand, also for past worlds.
   */
  readonly findingChanges?: (world: World) => Steps<readonly FindingMoved[]>;
  /** The source's state has changed; for the log. */
  readonly onSource?: (source: SourceState) => void;
  /** For a hub that follows another one: that hub's `contactMs`. */
  readonly contactMs?: () => number | null;
  /** The watch ended for a bug. */
  readonly onBug: (error: unknown) => void;
  /** Stops watching this long after the last viewer left; `null` for never. */
  readonly idleMs?: number | null;
}

/** How long to wait before watching again after a bug ended the watch. */
const restartMs = 5_000;

const emptyWorld: World = { locks: [], semaphores: [], sessions: [] };
const noFindings: readonly [] = [];

/** Without findings, which would be computed only to be counted. */
const rowsOf = ({ locks, semaphores, sessions }: Told) => locks.length + semaphores.length + sessions.length;

type Told = Omit<Snapshot, 'findings'>;

/** A snapshot that calls `findings` on demand. */
function snapshotOf(told: Told, findings: () => readonly Finding[]): Snapshot {
  return {
    ...told,
    get findings() {
      return findings();
    },
  };
}

export function createHub(options: HubOptions): Hub {
  const { provider, now, instance, findingsOf, findingChanges, onBug, idleMs = null } = options;
  const listeners = new Set<HubListener>();
  const ring = createRing();
  let watch: { readonly end: AbortController; readonly ended: Promise<void> } | null = null;
  let idle: ReturnType<typeof setTimeout> | null = null;
  let restart: ReturnType<typeof setTimeout> | null = null;
  let closed = false;
  let read = false;
  let contactMs: number | null = null;
  /**
   * Callers that await the first world. One shared promise would keep each caller's request in memory until then
   * (0036).
   */
  const waiting = new Set<() => void>();
  const announceReady = () => {
    for (const tell of [...waiting]) tell();
  };
  const unread: SourceState = {
    id: provider.id,
    title: provider.id,
    provider: provider.id,
    datacenter: null,
    origin: '',
    state: 'catching-up',
    lastContactMs: null,
    staleSinceMs: null,
    endsSeenSinceMs: null,
    restoredAtMs: null,
    renewals: [],
    problem: null,
  };
  let told: Told = { version: 1, asOfMs: now(), source: unread, ...emptyWorld };
  let findings: () => readonly Finding[] = () => noFindings;
  let current = snapshotOf(told, findings);
  /** `findingChanges` continues from the last published world; false after a bug while publishing. */
  let inStep = true;

  /** `found`: the changes of findings; `undefined`: compare to find them. */
  const become = (
    change: Partial<Told>,
    found: readonly FindingMoved[] | undefined,
    findingsAfter = findings,
    moved?: MovedWorld,
  ) => {
    const { version } = told;
    const after = { ...told, ...change, version: version + 1 };
    const snapshot = snapshotOf(after, findingsAfter);
    const step = stepOf(current, snapshot, found, moved);
    findings = findingsAfter;
    // Only the time has changed: new readers get it, and listeners are not called.
    told = step === null ? { ...after, version } : after;
    current = step === null ? snapshotOf(told, findings) : snapshot;
    if (step === null) return;
    ring.push(step, rowsOf(told));
    for (const listener of [...listeners]) listener.step(step, current);
  };
  const shown = createShownFindings({
    findingsOf,
    now,
    onEased: (moved) => become({}, moved, shown.allOf(told)),
  });
  /** A restarted watch does not know of earlier reads, so the hub keeps the time since which the world is stale. */
  const withPast = (source: SourceState, before = told.source): SourceState => {
    const { parts } = source;
    const whole =
      parts === undefined
        ? source
        : { ...source, parts: parts.map((part) => withPast(part, partOf(before, part.id) ?? part)) };
    if (source.state === 'live' || source.staleSinceMs !== null) return whole;
    return { ...whole, staleSinceMs: before.state === 'live' ? now() : before.staleSinceMs };
  };
  /** Computes the difference to the next world, and returns the function that publishes it at once. */
  function* taking(world: World, asOfMs: number): Steps<() => void> {
    if (findingChanges === undefined) {
      const all = findingsOf(world);
      return () => become({ ...world, asOfMs }, undefined, () => all);
    }
    const afterGap = !read || freshestOf(told.source).state !== 'live';
    const changes = yield* findingChanges(world);
    const follows = inStep;
    inStep = false;
    // Only worlds change these lists, and worlds are taken one at a time.
    const moved = yield* movingWorld(told, world);
    return () => {
      if (!follows) shown.reset();
      const found = follows ? shown.change(changes, afterGap) : undefined;
      become({ ...world, asOfMs }, found, shown.allOf(world), moved);
      inStep = true;
    };
  }
  let before: Promise<void> | null = null;
  const take = (world: World, asOfMs: number): void | Promise<void> => {
    const show = (put: () => void) => {
      put();
      read = true;
      announceReady();
    };
    const put = inSlices(taking(world, asOfMs), yieldToEventLoop);
    return put instanceof Promise ? put.then(show) : show(put);
  };
  const takeInTurn = (world: World, asOfMs: number): void | Promise<void> => {
    const taken = before === null ? take(world, asOfMs) : before.then(() => take(world, asOfMs));
    if (!(taken instanceof Promise)) return;
    // The caller of a failed one gets the error.
    const over = taken
      .catch(() => {})
      .then(() => {
        if (before === over) before = null;
      });
    before = over;
    return taken;
  };
  /** A `live` source waits for its world to be shown: sent earlier, it would call the old rows live. */
  let coming: SourceState | null = null;
  const takeSource = (source: SourceState) => {
    const put = () => become({ source: withPast(source) }, noFindings);
    const isLive = partsOf(source).some(
      ({ id, state }) =>
        state === 'live' && (source.parts === undefined || partOf(told.source, id)?.state !== 'live'),
    );
    coming = before === null || !isLive ? null : source;
    if (coming === null) return put();
    void before?.then(() => {
      if (coming !== source) return;
      coming = null;
      put();
    });
  };
  const start = () => {
    if (watch !== null || closed) return;
    const end = new AbortController();
    const listener = {
      world: takeInTurn,
      // Renewals affect no finding, so none are computed.
      renewals: (renewals: readonly Renewal[], asOfMs: number) => become({ renewals, asOfMs }, noFindings),
      source: (source: SourceState) => {
        options.onSource?.(source);
        takeSource(source);
      },
      contact: (atMs: number) => {
        contactMs = atMs;
      },
    };
    const ended = provider.watch(listener, end.signal).catch((error: unknown) => {
      onBug(error);
      if (!closed && !end.signal.aborted)
        restart = setTimeout(() => {
          watch = null;
          start();
        }, restartMs);
    });
    watch = { end, ended };
  };
  const rest = () => {
    if (idleMs === null || listeners.size > 0 || closed) return;
    if (idle !== null) clearTimeout(idle);
    idle = setTimeout(() => {
      const ending = watch;
      watch = null;
      ending?.end.abort();
      become({ source: withPast(catchingUp(told.source)) }, noFindings);
    }, idleMs);
  };
  /** Keeps the watch running for a reader. */
  const touch = () => {
    if (idle !== null) clearTimeout(idle);
    start();
    rest();
  };
  touch();

  const hub: Hub = {
    instance,
    get base() {
      return hub;
    },
    apart: AsyncResource.bind(<T>(make: () => T) => make()),
    get read() {
      return read;
    },
    get contactMs() {
      return options.contactMs?.() ?? contactMs;
    },
    get viewers() {
      return listeners.size;
    },
    snapshot: () => {
      touch();
      return current;
    },
    shownOf: shown.one,
    since: (version) => ring.since(version, current.version),
    subscribe: (listener, since) => {
      listeners.add(listener);
      touch();
      const steps = since === null ? null : ring.since(since, current.version);
      return {
        start: steps === null ? { from: 'snapshot', snapshot: current } : { from: 'steps', steps },
        leave: () => {
          listeners.delete(listener);
          rest();
        },
      };
    },
    ready: async (timeoutMs) => {
      if (read || closed) return;
      await new Promise<void>((resolve) => {
        const tell = () => {
          clearTimeout(late);
          waiting.delete(tell);
          resolve();
        };
        const late = setTimeout(tell, timeoutMs);
        waiting.add(tell);
      });
    },
    close: async () => {
      closed = true;
      shown.close();
      announceReady();
      for (const timer of [idle, restart]) if (timer !== null) clearTimeout(timer);
      for (const listener of [...listeners]) listener.closed();
      listeners.clear();
      watch?.end.abort();
      await watch?.ended;
    },
  };
  return hub;
}
