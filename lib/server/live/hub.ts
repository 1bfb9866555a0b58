/**
 * One hub for one credential: a provider's worlds as numbered snapshots, and the patches that join them, for any
 * number of viewers. The load on the backend depends on hubs, never on viewers.
 */
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Renewal, World } from '@/lib/domain/model';
import type { FindingMoved } from '@/lib/domain/rules/table';
import type { Provider } from '@/lib/domain/seam/provider';
import type { Source } from '@/lib/domain/source';
import { inSlices, type Steps } from '@/lib/domain/steps';
import { type MovedWorld, movingWorld, type Step, stepOf } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createRing } from './ring';
import { createShownFindings } from './shown-findings';

export interface HubListener {
  /** Leads to `snapshot`. */
  step(step: Step, snapshot: Snapshot): void;
  /** The hub closes: the server ends. */
  closed(): void;
  /** What comes now has nothing to do with what came: another instance, with versions of its own. */
  turned?(): void;
}

/** What a viewer begins with: the steps since the version it has, or a whole snapshot. */
export type Start =
  | { readonly from: 'steps'; readonly steps: readonly Step[] }
  | { readonly from: 'snapshot'; readonly snapshot: Snapshot };

export interface Hub {
  /** Names this hub in this process: versions of another one, or of before a restart, mean nothing here. */
  readonly instance: string;
  /** What numbers its snapshots: itself, or the hub that it shows together with others (`joined-hub.ts`). */
  readonly base: Hub;
  /** Calls `make` as if it were called when this hub was made: what it leaves behind keeps no request (0036). */
  apart<T>(make: () => T): T;
  readonly viewers: number;
  /** A world was read since this hub began: an empty one is none until then. */
  readonly read: boolean;
  /** When the backend answered last; `null` before it did, or where that is not told. */
  readonly contactMs: number | null;
  snapshot(): Snapshot;
  /** A finding of this world as it is shown now; `null`: it is not shown yet. */
  shownOf(finding: Finding): Finding | null;
  /** The steps that lead from `version` to the snapshot; `null` when they are not all kept. */
  since(version: number): readonly Step[] | null;
  /** `since`: the version that the viewer has, `null` for none. Call the returned function to leave. */
  subscribe(listener: HubListener, since: number | null): { readonly start: Start; leave(): void };
  /** Resolves when the first world was read, when `timeoutMs` is over, or when the hub closes. */
  ready(timeoutMs: number): Promise<void>;
  /** Ends all streams and the watch. Resolves when the watch has ended. */
  close(): Promise<void>;
}

export interface HubOptions {
  readonly provider: Pick<Provider, 'id' | 'watch'>;
  readonly now: () => number;
  readonly instance: string;
  /** All findings of a world; the last one that was told, unless there is `findingChanges`. */
  readonly findingsOf: (world: World) => readonly Finding[];
  /**
   * What becomes of them from one world to the next, sorted by id. With this none are kept: those of a snapshot are made by
   * `findingsOf` when somebody asks for them, who may ask for those of a world that is past.
   */
  readonly findingChanges?: (world: World) => Steps<readonly FindingMoved[]>;
  /** How fresh the world is has changed: for the log. */
  readonly onSource?: (source: Source) => void;
  /** Of a hub that follows another one: when the backend answered that one. */
  readonly contactMs?: () => number | null;
  /** The watch ended for a bug. */
  readonly onBug: (error: unknown) => void;
  /** Stops watching so long after the last viewer left; `null` for never. */
  readonly idleMs?: number | null;
}

/** How long to wait before watching again after a bug ended the watch. */
const restartMs = 5_000;

const emptyWorld: World = { locks: [], semaphores: [], sessions: [] };
const noFindings: readonly [] = [];

/** Without findings, which would have to be made to be counted. */
const rowsOf = ({ locks, semaphores, sessions }: Told) => locks.length + semaphores.length + sessions.length;

/** A snapshot without its findings. */
type Told = Omit<Snapshot, 'findings'>;

/** The snapshot of these, whose findings are what `findings` gives when they are asked for. */
function snapshotOf(told: Told, findings: () => readonly Finding[]): Snapshot {
  return {
    ...told,
    get findings() {
      return findings();
    },
  };
}

/** A hub that watches from now on. */
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
  /** Who waits for the first world. A promise of the hub's own would keep each of their requests for as long as there is none (0036). */
  const waiting = new Set<() => void>();
  const announceReady = () => {
    for (const tell of [...waiting]) tell();
  };
  const unread: Source = {
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
  /** `findingChanges` goes on from the world that was told last; not so after a bug in the telling. */
  let inStep = true;

  /** `found`: what became of the findings; `undefined`: that is to be found out by comparing. */
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
    // The same at a later time: those who ask anew get the time, nobody is woken for it.
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
  /** A watch that begins anew does not know that something was read before it: that is told on, with since when it is old. */
  const withPast = (source: Source): Source =>
    source.state === 'live' || source.staleSinceMs !== null
      ? source
      : { ...source, staleSinceMs: told.source.state === 'live' ? now() : told.source.staleSinceMs };
  /** What differs in the next world. It is shown at once when all of that is known. */
  function* taking(world: World, asOfMs: number): Steps<() => void> {
    if (findingChanges === undefined) {
      const all = findingsOf(world);
      return () => become({ ...world, asOfMs }, undefined, () => all);
    }
    const afterGap = !read || told.source.state !== 'live';
    const changes = yield* findingChanges(world);
    const follows = inStep;
    inStep = false;
    // Nothing but a world changes these lists, and worlds are taken one at a time.
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
    // The one that fails tells whoever gave it.
    const over = taken
      .catch(() => {})
      .then(() => {
        if (before === over) before = null;
      });
    before = over;
    return taken;
  };
  /** What is live is so once it is shown: said before, what was there before would be called that. */
  let coming: Source | null = null;
  const takeSource = (source: Source) => {
    const put = () => become({ source: withPast(source) }, noFindings);
    coming = before === null || source.state !== 'live' ? null : source;
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
      // Nothing else follows from them, so that findings are not looked for again.
      renewals: (renewals: readonly Renewal[], asOfMs: number) => become({ renewals, asOfMs }, noFindings),
      source: (source: Source) => {
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
      become({ source: withPast({ ...told.source, state: 'catching-up' }) }, noFindings);
    }, idleMs);
  };
  /** Somebody looks: watch, and do not stop soon. */
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
