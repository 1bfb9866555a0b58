/**
 * From one world to the next: who began to hold and who ceased, who waited, what was found, and when nothing was seen.
 * Pure, and the same for every backend. Costs what has changed.
 *
 *   a step of the live view --changed rows--> episodes that begin, change or end --> rows to write
 *
 * A change that comes while a source is not live happened somewhere in the gap: it ends as `not-watched`.
 */
import type { Finding } from '@/lib/domain/findings/finding';
import { type Lock, type Semaphore, subjectId, type World } from '@/lib/domain/model';
import { find } from '@/lib/domain/sorted';
import { partOf, partsOf, type SourceState } from '@/lib/domain/source-state';
import { isOf, type LockRef, lockName, type SemaphoreRef, semaphoreName } from '@/lib/domain/subject';
import { type Deed, Deeds, deedMs, isAbout, markOf } from './deeds';
import type { FindingEpisode, Gap, HeldSubject, HistoryRow, Hold, LimitChange, Wait } from './episode';
import { HoldBook } from './hold-book';
import { WaitBook } from './wait-book';

/** What changed: names of rows, absent ones included. */
export interface Changed {
  readonly locks: readonly LockRef[];
  readonly semaphores: readonly SemaphoreRef[];
  readonly findings: readonly { readonly was: Finding | null; readonly is: Finding | null }[];
}

export interface Step {
  readonly world: World;
  readonly changed: Changed;
  /** All findings of this world; asked once, when a source is seen again. */
  readonly findings: () => readonly Finding[];
  /** After this step. */
  readonly source: SourceState;
  readonly nowMs: number;
}

/** What an earlier process has left. */
export interface Resumed {
  /** Until when it wrote; `null`: there was none. */
  readonly untilMs: number | null;
  /** Of the gap since then. */
  readonly why: 'restart' | 'behind';
  readonly holds: readonly Hold[];
  readonly waits: readonly Wait[];
  readonly findings: readonly FindingEpisode[];
  readonly gaps: readonly Gap[];
}

export interface RecorderOptions {
  /** A new unique id. */
  readonly newId: () => string;
  readonly resumed?: Resumed;
}

const findingId = ({ code, subject }: Pick<FindingEpisode, 'code' | 'subject'>) =>
  [code, subjectId(subject)].join(' ');

const isLive = (source: SourceState, id: string) => partOf(source, id)?.state === 'live';

export class Recorder {
  private readonly holds: HoldBook;
  private readonly waits: WaitBook;
  private readonly deeds = new Deeds();
  private readonly findings = new Map<string, FindingEpisode>();
  private readonly limits = new Map<string, number>();
  /** Changes of a limit for which the action may still come. */
  private fresh: LimitChange[] = [];
  private readonly gaps = new Map<string, Gap>();
  /** Sources that were live once since the start. */
  private readonly begun = new Set<string>();
  /** Sources that were live after the last step, and so were watched until this one. */
  private live: ReadonlySet<string> = new Set();
  private out: HistoryRow[] = [];

  constructor(private readonly options: RecorderOptions) {
    const { newId, resumed } = options;
    this.holds = new HoldBook(newId, (row) => this.out.push({ kind: 'hold', row }));
    this.waits = new WaitBook(newId, (row) => this.out.push({ kind: 'wait', row }));
    if (resumed === undefined) return;
    this.holds.resume(resumed.holds);
    this.waits.resume(resumed.waits);
    for (const one of resumed.findings) this.findings.set(findingId(one), one);
    for (const gap of resumed.gaps) this.gaps.set(gap.source, gap);
  }

  /** The rows that this step writes. */
  take(step: Step): readonly HistoryRow[] {
    const { world, changed, nowMs } = step;
    this.deeds.forget(nowMs);
    this.holds.settle(world, nowMs);
    for (const ref of changed.locks) this.lockAt(world, ref, nowMs);
    for (const ref of changed.semaphores) this.semaphoreAt(world, ref, nowMs);
    for (const { was, is } of changed.findings) this.finding(was, is, nowMs);
    this.watched(step);
    return this.taken();
  }

  /** An action of Signalbox that was done. It may come before or after its effect shows. */
  deed(deed: Deed): readonly HistoryRow[] {
    this.deeds.add(deed);
    this.holds.attribute(deed);
    this.waits.attribute(deed);
    for (const change of this.fresh)
      if (deed.subjects.includes(subjectId(change.subject)) && isAbout(deed, null) && change.deed === null)
        this.out.push({ kind: 'limit', row: { ...change, deed: markOf(deed) } });
    return this.taken();
  }

  private taken(): readonly HistoryRow[] {
    const rows = this.out;
    this.out = [];
    return rows;
  }

  private lockAt(world: World, ref: LockRef, nowMs: number): void {
    const lock = find(world.locks, lockName(ref), lockName) ?? null;
    const subject: HeldSubject = { source: ref.source, kind: 'lock', key: ref.key };
    this.parties(world, subject, lock, nowMs);
  }

  private semaphoreAt(world: World, ref: SemaphoreRef, nowMs: number): void {
    const semaphore = find(world.semaphores, semaphoreName(ref), semaphoreName) ?? null;
    const subject: HeldSubject = { source: ref.source, kind: 'semaphore', prefix: ref.prefix };
    this.parties(world, subject, semaphore, nowMs);
    const limit = semaphore?.limitBasis === undefined ? (semaphore?.limit ?? null) : null;
    if (limit !== null) this.limit(subject, limit, nowMs);
  }

  private parties(world: World, subject: HeldSubject, row: Lock | Semaphore | null, nowMs: number): void {
    const at = { world, row, watched: this.live.has(subject.source), nowMs };
    const deedOf = (session: string) => this.deeds.of(subjectId(subject), session, nowMs);
    this.holds.take(subject, at, deedOf);
    this.waits.take(subject, at, deedOf);
  }

  private limit(subject: HeldSubject, limit: number, nowMs: number): void {
    const name = subjectId(subject);
    const before = this.limits.get(name);
    this.limits.set(name, limit);
    if (before === undefined || before === limit) return;
    const row: LimitChange = {
      id: this.options.newId(),
      subject,
      before,
      after: limit,
      at: { atMs: nowMs, basis: this.live.has(subject.source) ? 'observed' : 'at-most' },
      deed: this.deeds.of(name, null, nowMs),
    };
    this.fresh = [...this.fresh.filter(({ at }) => nowMs - at.atMs <= deedMs), row];
    this.out.push({ kind: 'limit', row });
  }

  private finding(was: Finding | null, is: Finding | null, nowMs: number): void {
    const id = (is ?? was)?.id;
    if (id === undefined) return;
    const open = this.findings.get(id);
    if (is === null) {
      if (open !== undefined) this.clear(open, nowMs);
      return;
    }
    const { severity } = is;
    if (open === undefined) this.open(is, { severity, atMs: nowMs }, nowMs);
    else if (open.severities.at(-1)?.severity !== severity) {
      const severities = [...open.severities, { severity, atMs: nowMs }];
      const next = { ...open, severities };
      this.findings.set(id, next);
      this.write(next);
    }
  }

  private clear(open: FindingEpisode, nowMs: number): void {
    this.findings.delete(findingId(open));
    const watched = this.live.has(open.subject.source);
    const deed = watched ? this.deeds.of(subjectId(open.subject), null, nowMs) : null;
    const by = deed !== null ? 'action' : this.holds.endedByTime(open.subject, nowMs) ? 'time' : 'client';
    this.write({
      ...open,
      to: { atMs: nowMs, basis: watched ? 'observed' : 'at-most' },
      cleared: watched ? by : 'not-watched',
      deed,
    });
  }

  private open(
    { id, code, subject }: Finding,
    first: FindingEpisode['severities'][number],
    nowMs: number,
  ): void {
    const row: FindingEpisode = {
      id: `${id} ${this.options.newId()}`,
      code,
      subject,
      from: { atMs: nowMs, basis: this.live.has(subject.source) ? 'observed' : 'at-least' },
      to: null,
      severities: [first],
      cleared: null,
      deed: null,
    };
    this.findings.set(id, row);
    this.write(row);
  }

  private write(row: FindingEpisode): void {
    this.out.push({ kind: 'finding', row });
  }

  /** Opens and ends gaps. A source that was never read has no gap, unless an earlier process has read it. */
  private watched(step: Step): void {
    const { source, nowMs } = step;
    const live = new Set<string>();
    for (const part of partsOf(source)) {
      const gap = this.gaps.get(part.id);
      if (isLive(source, part.id)) {
        live.add(part.id);
        if (!this.begun.has(part.id)) this.begin(part.id, step);
        if (gap === undefined) continue;
        this.gaps.delete(part.id);
        this.out.push({ kind: 'gap', row: { ...gap, toMs: nowMs } });
      } else if (gap === undefined && this.live.has(part.id)) {
        const fromMs = Math.min(nowMs, part.staleSinceMs ?? part.lastContactMs ?? nowMs);
        const row: Gap = { id: this.options.newId(), source: part.id, fromMs, toMs: null, why: 'outage' };
        this.gaps.set(part.id, row);
        this.out.push({ kind: 'gap', row });
      }
    }
    this.live = live;
  }

  /** A source is seen for the first time: what an earlier process left open goes on, or has ended in the gap. */
  private begin(source: string, { world, findings, nowMs }: Step): void {
    this.begun.add(source);
    const { resumed } = this.options;
    if (resumed === undefined || resumed.untilMs === null) return;
    const row: Gap = {
      id: this.options.newId(),
      source,
      fromMs: resumed.untilMs,
      toMs: nowMs,
      why: 'restart',
    };
    if (!this.gaps.has(source)) this.out.push({ kind: 'gap', row });
    for (const subject of [...this.holds.unseen(source), ...this.waits.subjects(source)])
      this.parties(world, subject, rowOf(world, subject), nowMs);
    const open = new Set(findings().map(({ id }) => id));
    for (const one of [...this.findings.values()])
      if (one.subject.source === source && !open.has(findingId(one))) this.clear(one, nowMs);
  }
}

const rowOf = (world: World, subject: HeldSubject): Lock | Semaphore | null =>
  (subject.kind === 'lock' ? world.locks.find(isOf(subject)) : world.semaphores.find(isOf(subject))) ?? null;
