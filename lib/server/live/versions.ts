/**
 * The worlds of one hub as numbered snapshots, and the steps between them.
 *
 *   a world is read --its difference is made, in slices and one world at a time--> published as the next version
 *
 * Renewals and the source of the data are versions of their own, which change no finding.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Renewal, World } from '@/lib/domain/model';
import type { FindingMoved } from '@/lib/domain/rules/table';
import { runInSlices, type Steps } from '@/lib/domain/sliced-work';
import { catchingUp, freshestOf, partOf, partsOf, type SourceState } from '@/lib/domain/source-state';
import { type MovedWorld, movingWorld, stepOf, type WorldStep } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createRing } from './ring';
import { createShownFindings } from './shown-findings';

export interface VersionsOptions {
  readonly provider: string;
  readonly now: () => number;
  /** All findings of a world; without `findingChanges`, of the latest world only. */
  readonly findingsOf: (world: World) => readonly Finding[];
  /**
   * The changes of findings from one world to the next, sorted by id. With this no findings are kept: `findingsOf`
   * computes a snapshot's on demand, also for past worlds.
   */
  readonly findingChanges?: (world: World) => Steps<readonly FindingMoved[]>;
  /** The step leads to `snapshot`. */
  readonly onStep: (step: WorldStep, snapshot: Snapshot) => void;
  /** A world is published. */
  readonly onRead: () => void;
}

type Told = Omit<Snapshot, 'findings'>;

const noFindings: readonly [] = [];

/** Without findings, which would be computed only to be counted. */
const rowsOf = ({ locks, semaphores, sessions }: Told) => locks.length + semaphores.length + sessions.length;

/** A snapshot that calls `findings` on demand. */
function snapshotOf(state: Told, findings: () => readonly Finding[]): Snapshot {
  return {
    ...state,
    get findings() {
      return findings();
    },
  };
}

const unread = (provider: string): SourceState => ({
  id: provider,
  title: provider,
  provider,
  datacenter: null,
  origin: '',
  state: 'catching-up',
  lastContactMs: null,
  staleSinceMs: null,
  endsSeenSinceMs: null,
  restoredAtMs: null,
  renewals: [],
  problem: null,
});

/** A restarted watch does not know of earlier reads, so the time since which each source is stale is kept. */
function withPast(source: SourceState, before: SourceState, nowMs: number): SourceState {
  const { parts } = source;
  const whole =
    parts === undefined
      ? source
      : { ...source, parts: parts.map((part) => withPast(part, partOf(before, part.id) ?? part, nowMs)) };
  if (source.state === 'live' || source.staleSinceMs !== null) return whole;
  return { ...whole, staleSinceMs: before.state === 'live' ? nowMs : before.staleSinceMs };
}

export class Versions {
  /** A world was read; until then an empty world means unknown. */
  read = false;
  snapshot: Snapshot;
  private readonly ring = createRing();
  private readonly shown: ReturnType<typeof createShownFindings>;
  private current: Told;
  private findings: () => readonly Finding[] = () => noFindings;
  /** `findingChanges` continues from the last published world; false after a bug while publishing. */
  private inStep = true;
  /** The worlds that are being taken; `null`: none. */
  private taking: Promise<void> | null = null;
  private comingSource: SourceState | null = null;

  constructor(private readonly options: VersionsOptions) {
    const { provider, now, findingsOf } = options;
    this.current = {
      version: 1,
      asOfMs: now(),
      source: unread(provider),
      locks: [],
      semaphores: [],
      sessions: [],
    };
    this.snapshot = snapshotOf(this.current, this.findings);
    this.shown = createShownFindings({
      findingsOf,
      now,
      onEased: (moved) => this.publish({}, moved, this.shown.allOf(this.current)),
    });
  }

  /** A finding as it is shown now; `null`: it is not shown yet. */
  shownOf(finding: Finding): Finding | null {
    return this.shown.one(finding);
  }

  /** The steps from `version` to the snapshot; `null` when some are dropped. */
  since(version: number): readonly WorldStep[] | null {
    return this.ring.since(version, this.snapshot.version);
  }

  /** Takes worlds in the order of their arrival. Rejects when the rules fail. */
  takeWorld(world: World, asOfMs: number): void | Promise<void> {
    const done =
      this.taking === null ? this.take(world, asOfMs) : this.taking.then(() => this.take(world, asOfMs));
    if (!(done instanceof Promise)) return;
    // The caller of a failed one gets the error.
    const settled = done
      .catch(() => {})
      .then(() => {
        if (this.taking === settled) this.taking = null;
      });
    this.taking = settled;
    return done;
  }

  takeRenewals(renewals: readonly Renewal[], asOfMs: number): void {
    this.publish({ renewals, asOfMs }, noFindings);
  }

  /** A `live` source waits until its world is shown. Sent earlier, it would mark the old rows as live. */
  takeSource(source: SourceState): void {
    const isLive = partsOf(source).some(
      ({ id, state }) =>
        state === 'live' && (source.parts === undefined || partOf(this.current.source, id)?.state !== 'live'),
    );
    this.comingSource = this.taking === null || !isLive ? null : source;
    if (this.comingSource === null) this.publishSource(source);
    else
      void this.taking?.then(() => {
        if (this.comingSource !== source) return;
        this.comingSource = null;
        this.publishSource(source);
      });
  }

  /** The backend is not watched any more. */
  rest(): void {
    this.publishSource(catchingUp(this.current.source));
  }

  close(): void {
    this.shown.close();
  }

  private publishSource(source: SourceState): void {
    this.publish({ source: withPast(source, this.current.source, this.options.now()) }, noFindings);
  }

  private take(world: World, asOfMs: number): void | Promise<void> {
    const show = (publish: () => void) => {
      publish();
      this.read = true;
      this.options.onRead();
    };
    const publication = runInSlices(this.difference(world, asOfMs), yieldToEventLoop);
    return publication instanceof Promise ? publication.then(show) : show(publication);
  }

  /** Computes the difference to the next world, and returns the function that publishes it at once. */
  private *difference(world: World, asOfMs: number): Steps<() => void> {
    const { findingsOf, findingChanges } = this.options;
    if (findingChanges === undefined) {
      const all = findingsOf(world);
      return () => this.publish({ ...world, asOfMs }, undefined, () => all);
    }
    const afterGap = !this.read || freshestOf(this.current.source).state !== 'live';
    const changes = yield* findingChanges(world);
    const follows = this.inStep;
    this.inStep = false;
    // Only worlds change these lists, and worlds are taken one at a time.
    const moved = yield* movingWorld(this.current, world);
    return () => {
      if (!follows) this.shown.reset();
      const shownChanges = follows ? this.shown.change(changes, afterGap) : undefined;
      this.publish({ ...world, asOfMs }, shownChanges, this.shown.allOf(world), moved);
      this.inStep = true;
    };
  }

  /** `findingChanges`: `undefined`: compare to find them. */
  private publish(
    change: Partial<Told>,
    findingChanges: readonly FindingMoved[] | undefined,
    findings = this.findings,
    moved?: MovedWorld,
  ): void {
    const { version } = this.current;
    const after = { ...this.current, ...change, version: version + 1 };
    const snapshot = snapshotOf(after, findings);
    const step = stepOf(this.snapshot, snapshot, findingChanges, moved);
    this.findings = findings;
    // Only the time has changed. New readers get it, and no listener is called.
    this.current = step === null ? { ...after, version } : after;
    this.snapshot = step === null ? snapshotOf(this.current, findings) : snapshot;
    if (step === null) return;
    this.ring.push(step, rowsOf(this.current));
    this.options.onStep(step, this.snapshot);
  }
}
