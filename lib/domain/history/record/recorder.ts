/**
 * Turns the step from one world to the next into rows of the history. Pure, and the same for every backend. Costs what
 * has changed.
 *
 *   a step of the live view --changed rows--> episodes that begin, change or end --> rows to write
 *
 * A change while a source is not live happened somewhere in the gap, so it ends as `not-watched`. The same holds for a
 * lock whose holder turns unknown.
 */
import type { Finding } from '@/lib/domain/findings/finding';
import { type Deed, deedMs, hit, markOf, setsLimit, touched } from '@/lib/domain/history/deeds';
import type {
  DeedMark,
  FindingEpisode,
  Gap,
  HeldSubject,
  HistoryRow,
  Hold,
  LimitChange,
  Wait,
} from '@/lib/domain/history/episode';
import { subjectId, type World } from '@/lib/domain/model';
import { partOf, partsOf, type SourceState } from '@/lib/domain/source-state';
import { type LockRef, lockSubject, type SemaphoreRef, semaphoreSubject } from '@/lib/domain/subject';
import { FindingBook } from './finding-book';
import { HoldBook } from './hold-book';
import { Latest } from './latest';
import { isUnknown, rowOf } from './look';
import { WaitBook } from './wait-book';

/** The names of changed rows, including those of removed rows. */
export interface Changed {
  readonly locks: readonly LockRef[];
  readonly semaphores: readonly SemaphoreRef[];
  readonly findings: readonly { readonly was: Finding | null; readonly is: Finding | null }[];
}

export interface Step {
  readonly world: World;
  readonly changed: Changed;
  /** All findings of this world. They are read once, when a source is seen again. */
  readonly findings: () => readonly Finding[];
  /** The state of the source after this step. */
  readonly source: SourceState;
  /** The process slept until a moment ago. */
  readonly asleep?: boolean;
  readonly nowMs: number;
}

/** The state that an earlier process left. */
export interface Resumed {
  /** The last instant that it wrote; `null`: there was none. */
  readonly untilMs: number | null;
  /** The reason for the gap since then. */
  readonly why: 'restart' | 'behind';
  readonly holds: readonly Hold[];
  readonly waits: readonly Wait[];
  readonly findings: readonly FindingEpisode[];
  readonly gaps: readonly Gap[];
}

export interface RecorderOptions {
  readonly newId: () => string;
  readonly resumed?: Resumed;
}

const isLive = (source: SourceState, id: string) => partOf(source, id)?.state === 'live';

export class Recorder {
  private readonly holds: HoldBook;
  private readonly waits: WaitBook;
  private readonly deeds = new Latest<Deed>(deedMs);
  private readonly findings: FindingBook;
  private readonly limits = new Map<string, number>();
  /** Changes of a limit whose action may still arrive. */
  private readonly fresh = new Latest<LimitChange>(deedMs);
  /** Subjects with an unknown holder at the last look. */
  private readonly unknown = new Set<string>();
  private readonly gaps = new Map<string, Gap>();
  /** Sources that have been live since the start. */
  private readonly begun = new Set<string>();
  /** Sources that were live after the last step, and so were watched until this one. */
  private live: ReadonlySet<string> = new Set();
  private asleep = false;
  private out: HistoryRow[] = [];

  private readonly newId: () => string;
  /** When an earlier process last wrote, and the reason for the gap since then; `null`: there was none. */
  private readonly before: Pick<Resumed, 'untilMs' | 'why'> | null;

  constructor({ newId, resumed }: RecorderOptions) {
    this.newId = newId;
    // Its episodes are tens of thousands in a large world, and are not kept twice.
    this.before = resumed === undefined ? null : { untilMs: resumed.untilMs, why: resumed.why };
    this.holds = new HoldBook(newId, (row) => this.out.push({ kind: 'hold', row }));
    this.waits = new WaitBook(newId, (row) => this.out.push({ kind: 'wait', row }));
    this.findings = new FindingBook(newId, (row) => this.out.push({ kind: 'finding', row }));
    if (resumed === undefined) return;
    this.holds.resume(resumed.holds);
    this.waits.resume(resumed.waits);
    this.findings.resume(resumed.findings);
    for (const gap of resumed.gaps) this.gaps.set(gap.source, gap);
  }

  /** The rows that this step writes. */
  take(step: Step): readonly HistoryRow[] {
    const { world, changed, nowMs } = step;
    this.asleep = step.asleep === true;
    for (const ref of changed.locks) this.look(world, lockSubject(ref), nowMs);
    for (const ref of changed.semaphores) this.look(world, semaphoreSubject(ref), nowMs);
    for (const { was, is } of changed.findings) this.finding(was, is, nowMs);
    this.watched(step);
    return this.taken();
  }

  /** Takes a completed action of Signalbox, before or after its effect shows. */
  deed(deed: Deed): readonly HistoryRow[] {
    this.deeds.put(String(deed.seq), deed, deed.atMs);
    this.holds.attribute(deed);
    this.waits.attribute(deed);
    if (setsLimit(deed))
      for (const change of this.fresh.all())
        if (change.deed === null && touched(deed, change.subject, change.at.atMs))
          this.changed({ ...change, deed: markOf(deed) });
    return this.taken();
  }

  private taken(): readonly HistoryRow[] {
    const rows = this.out;
    this.out = [];
    return rows;
  }

  private look(world: World, subject: HeldSubject, nowMs: number): void {
    const row = rowOf(world, subject);
    const name = subjectId(subject);
    const watched = this.live.has(subject.source);
    const at = {
      ...{ world, row, watched, nowMs },
      asleep: this.asleep,
      blindSinceMs: this.gaps.get(subject.source)?.fromMs ?? null,
      wasUnknown: this.unknown.delete(name),
    };
    if (isUnknown(row)) this.unknown.add(name);
    const deedOf = (session: string) => this.markOf((deed) => hit(deed, subject, session, nowMs));
    this.holds.take(subject, at, deedOf);
    this.waits.take(subject, at, deedOf);
    if (row?.kind === 'semaphore' && row.limit !== null && row.limitBasis === undefined)
      this.limit(subject, row.limit, nowMs);
  }

  private limit(subject: HeldSubject, limit: number, nowMs: number): void {
    const name = subjectId(subject);
    const before = this.limits.get(name);
    this.limits.set(name, limit);
    if (before === undefined || before === limit) return;
    this.changed({
      id: this.newId(),
      subject,
      before,
      after: limit,
      at: { atMs: nowMs, basis: this.live.has(subject.source) ? 'observed' : 'at-most' },
      deed: this.markOf((deed) => setsLimit(deed) && touched(deed, subject, nowMs)),
    });
  }

  /** The last action that satisfies `holds`. */
  private markOf(holds: (deed: Deed) => boolean): DeedMark | null {
    const found = this.deeds.all().findLast(holds);
    return found === undefined ? null : markOf(found);
  }

  private changed(row: LimitChange): void {
    this.fresh.put(row.id, row, row.at.atMs);
    this.out.push({ kind: 'limit', row });
  }

  private finding(was: Finding | null, is: Finding | null, nowMs: number): void {
    if (is !== null) this.findings.take(is, { watched: this.live.has(is.subject.source), nowMs });
    else if (was !== null) this.clear(was, nowMs);
  }

  private clear(was: Pick<FindingEpisode, 'code' | 'subject'>, nowMs: number): void {
    const look = { watched: this.live.has(was.subject.source), nowMs };
    this.findings.clear(was, look, (subject) => {
      const deed = this.markOf((one) => touched(one, subject, nowMs));
      const byTime = this.holds.endedByTime(subject, nowMs);
      return { cleared: deed !== null ? 'action' : byTime ? 'time' : 'client', deed };
    });
  }

  /** Opens and ends gaps. */
  private watched(step: Step): void {
    const { source, nowMs } = step;
    const live = new Set<string>();
    for (const part of partsOf(source)) {
      // The source was not seen yet, and the record begins now.
      if (!isLive(source, part.id) && !this.begun.has(part.id) && !this.gaps.has(part.id))
        this.unread(part.id, nowMs);
      const gap = this.gaps.get(part.id);
      if (isLive(source, part.id)) {
        live.add(part.id);
        if (!this.begun.has(part.id)) this.begin(part.id, step);
        if (gap === undefined) continue;
        this.gaps.delete(part.id);
        this.out.push({ kind: 'gap', row: { ...gap, toMs: nowMs } });
      } else if (gap === undefined && this.live.has(part.id)) {
        const fromMs = Math.min(nowMs, part.staleSinceMs ?? part.lastContactMs ?? nowMs);
        const row: Gap = { id: this.newId(), source: part.id, fromMs, toMs: null, why: 'outage' };
        this.gaps.set(part.id, row);
        this.out.push({ kind: 'gap', row });
      }
    }
    this.live = live;
  }

  private unread(source: string, nowMs: number): void {
    const before = this.before;
    if (before === null) return;
    const row = this.gapBefore(source, before, { nowMs, toMs: null });
    this.gaps.set(source, row);
    this.out.push({ kind: 'gap', row });
  }

  /** The gap since an earlier process last saw the source, or since this one began. */
  private gapBefore(
    source: string,
    { untilMs, why }: Pick<Resumed, 'untilMs' | 'why'>,
    { nowMs, toMs }: { readonly nowMs: number; readonly toMs: number | null },
  ): Gap {
    return { id: this.newId(), source, fromMs: untilMs ?? nowMs, toMs, why };
  }

  /** A source is seen for the first time. Episodes that an earlier process left open continue, or ended in the gap. */
  private begin(source: string, { world, findings, nowMs }: Step): void {
    this.begun.add(source);
    const before = this.before;
    if (before === null || before.untilMs === null) return;
    if (!this.gaps.has(source))
      this.out.push({ kind: 'gap', row: this.gapBefore(source, before, { nowMs, toMs: nowMs }) });
    for (const subject of [...this.holds.unseen(source), ...this.waits.subjects(source)])
      this.look(world, subject, nowMs);
    for (const one of this.findings.leftBehind(source, findings())) this.clear(one, nowMs);
  }
}
