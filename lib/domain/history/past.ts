/**
 * The world at one instant, built from the record: rows in the shape of the snapshot, with the facts of the history.
 * Values, flags, limits of time and renewals are absent, not empty.
 */
import type { Severity } from '@/lib/domain/findings/finding';
import { subjectId, type Verdict } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import {
  type DeedMark,
  type FindingEpisode,
  type Gap,
  type History,
  type Hold,
  type HoldEnd,
  type HourFigures,
  heldAlone,
  type LimitChange,
  type Moment,
  type Wait,
  type WaitEnd,
} from './episode';

interface PastParty<End> {
  readonly sessionId: string;
  readonly label: string;
  /** `null`: not visible, or the backend has none. */
  readonly session: { readonly name: string; readonly node: string } | null;
  readonly since: Moment;
  /** The instant of its end, as known now; `null`: it still lasts. */
  readonly until: Moment | null;
  readonly end: End | null;
  /** The action of Signalbox that ended it. */
  readonly deed: DeedMark | null;
}

export interface PastHolder extends PastParty<HoldEnd> {
  readonly verdict: Verdict;
  /** The mode of a hold of a read-write lock. Absent: alone. */
  readonly mode?: 'read' | 'write';
}

export type PastWaiter = PastParty<WaitEnd>;

interface PastHeld {
  readonly source: SourceId;
  readonly holders: readonly PastHolder[];
  /** Absent: the waiters are unknown. */
  readonly waiters?: readonly PastWaiter[];
}

export interface PastLock extends PastHeld {
  readonly kind: 'lock';
  readonly key: string;
}

export interface PastSemaphore extends PastHeld {
  readonly kind: 'semaphore';
  readonly prefix: string;
  /** Absent: no kept change proves it. */
  readonly limit?: number;
}

export interface PastFinding extends Pick<FindingEpisode, 'code' | 'subject' | 'cleared' | 'deed'> {
  readonly severity: Severity;
  readonly since: Moment;
  readonly until: Moment | null;
}

/**
 * `seen`: the rows are all holds of that instant, except those that are only counted. `unseen`: nothing is known of it.
 */
export interface PastSource {
  readonly id: SourceId;
  readonly state: 'seen' | 'unseen';
  /**
   * For `unseen`. `not-kept`: the record of the source begins later. `not-written`: the store does not have this time,
   * or not yet.
   */
  readonly why: Gap['why'] | 'not-kept' | 'not-written' | null;
  /** Start of the gap. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface PastWorld {
  readonly sources: readonly PastSource[];
  /** Held locks, and locks with waiters. Free locks are not kept. */
  readonly locks: readonly PastLock[];
  readonly semaphores: readonly PastSemaphore[];
  readonly findings: readonly PastFinding[];
  /**
   * Figures of that hour for subjects with holds that are only counted. One of them may have lasted at this instant.
   */
  readonly counted: readonly HourFigures[];
}

/**
 * The nearest instant on one side at which the shown world changed: a hold, a wait or a finding began or ended, or
 * watching stopped or began again.
 */
export interface PastChange {
  /** `null`: none was found. */
  readonly atMs: number | null;
  /**
   * The whole record of this side was read. Otherwise a nearer change, or any, may be missed. False where a part is
   * only counted or not yet written, and always beside rows of others.
   */
  readonly complete: boolean;
}

/** The answer of `GET /api/v1/history/at`. */
export interface PastAnswer extends PastWorld {
  readonly previous: PastChange;
  readonly next: PastChange;
  readonly at: number;
  /** Start of the record of holds; `null`: never kept. */
  readonly keptSinceMs: number | null;
  /** The instant since which the store does not answer and nothing is kept; `null`: it is kept. */
  readonly awaySinceMs: number | null;
  /** True with `SIGNALBOX_HISTORY=off`. */
  readonly off: boolean;
  /** More rows of a kind exist. A longer prefix finds them. */
  readonly more: boolean;
}

export interface PastRows extends History {
  readonly hours: readonly HourFigures[];
}

/** The facts of the store itself. */
export interface KeptTime {
  readonly keptSinceMs: number | null;
  /** The record is complete until this instant. */
  readonly writtenUntilMs: number;
  /** Sources with a row that proves watching before this instant. */
  readonly known: ReadonlySet<SourceId>;
  /** By source: the time around this instant in which no limit can have changed unseen. */
  readonly unbroken: ReadonlyMap<SourceId, { readonly fromMs: number; readonly toMs: number }>;
}

const seen = (id: SourceId): PastSource => ({ id, state: 'seen', why: null, fromMs: null, toMs: null });

const unseen = (id: SourceId, why: PastSource['why'], gap: Gap | null = null): PastSource => ({
  id,
  state: 'unseen',
  why,
  fromMs: gap?.fromMs ?? null,
  toMs: gap?.toMs ?? null,
});

/** True when it lasted at this instant. */
const wasAt = ({ from, to }: Pick<Hold, 'from' | 'to'>, atMs: number): boolean =>
  from.atMs <= atMs && (to === null || to.atMs > atMs);

function sourceAt(id: SourceId, atMs: number, gaps: readonly Gap[], kept: KeptTime): PastSource {
  if (kept.keptSinceMs === null || atMs < kept.keptSinceMs) return unseen(id, 'not-kept');
  if (atMs > kept.writtenUntilMs) return unseen(id, 'not-written');
  const gap = gaps.find(
    ({ source, fromMs, toMs }) => source === id && fromMs <= atMs && (toMs === null || toMs > atMs),
  );
  if (gap !== undefined) return unseen(id, gap.why, gap);
  return kept.known.has(id) ? seen(id) : unseen(id, 'not-kept');
}

const partyOf = ({ who, from, to, end, deed }: Hold | Wait) => ({
  sessionId: who.id,
  label: who.label,
  session: who.name === null || who.node === null ? null : { name: who.name, node: who.node },
  since: from,
  until: to,
  deed,
  end,
});

const holderOf = (hold: Hold, atMs: number): PastHolder => ({
  ...partyOf(hold),
  end: hold.end,
  verdict: (hold.verdicts.findLast((mark) => mark.atMs <= atMs) ?? hold.verdicts[0])?.verdict ?? 'unknown',
  ...(hold.mode === null ? {} : { mode: hold.mode }),
});

/** The limit by the nearest change before or after this instant. */
function limitAt(changes: readonly LimitChange[], atMs: number, kept: KeptTime): number | undefined {
  const { source } = changes[0]?.subject ?? {};
  const span = source === undefined ? undefined : kept.unbroken.get(source);
  if (span === undefined) return undefined;
  const own = changes.filter(({ at }) => at.atMs >= span.fromMs && at.atMs <= span.toMs);
  const before = own.findLast(({ at }) => at.atMs <= atMs);
  return before === undefined ? own[0]?.before : before.after;
}

/** A hold that never had waiters proves an empty queue. Otherwise only names prove one. */
function waitersOf(holds: readonly Hold[], waits: readonly Wait[]): readonly PastWaiter[] | undefined {
  if (waits.length > 0) return waits.map((wait) => ({ ...partyOf(wait), end: wait.end }));
  return holds.some(({ waitersMax }) => waitersMax === 0) ? [] : undefined;
}

function grouped<R extends Hold | Wait | LimitChange>(rows: readonly R[]): Map<string, R[]> {
  const all = new Map<string, R[]>();
  for (const row of rows) {
    const name = subjectId(row.subject);
    const own = all.get(name);
    if (own === undefined) all.set(name, [row]);
    else own.push(row);
  }
  return all;
}

/** `rows`: the rows of that instant that the reader may see, with all limit changes before and after. */
export function pastOf(
  rows: PastRows,
  atMs: number,
  sources: readonly SourceId[],
  kept: KeptTime,
): PastWorld {
  const states = sources.map((id) => sourceAt(id, atMs, rows.gaps, kept));
  const isSeen = new Set(states.filter(({ state }) => state === 'seen').map(({ id }) => id));
  const there = <R extends Pick<Hold, 'from' | 'to'> & { readonly subject: { readonly source: SourceId } }>(
    some: readonly R[],
  ) => some.filter((row) => isSeen.has(row.subject.source) && wasAt(row, atMs));
  const [holds, waits, limits] = [
    grouped(there(rows.episodes)),
    grouped(there(rows.waits)),
    grouped(rows.limits),
  ];
  const locks: PastLock[] = [];
  const semaphores: PastSemaphore[] = [];
  for (const name of [...new Set([...holds.keys(), ...waits.keys()])].sort()) {
    const [its, queue] = [holds.get(name) ?? [], waits.get(name) ?? []];
    const subject = (its[0] ?? queue[0])?.subject;
    if (subject === undefined) continue;
    const waiters = waitersOf(its, queue);
    const held = {
      source: subject.source,
      holders: its.map((hold) => holderOf(hold, atMs)),
      ...(waiters === undefined ? {} : { waiters }),
    };
    if (subject.kind === 'lock') locks.push({ kind: 'lock', key: subject.key, ...held });
    else {
      const limit = limitAt(limits.get(name) ?? [], atMs, kept);
      semaphores.push({
        kind: 'semaphore',
        prefix: subject.prefix,
        ...held,
        ...(limit === undefined ? {} : { limit }),
      });
    }
  }
  return {
    sources: states,
    locks,
    semaphores,
    findings: there(rows.findings).map(({ code, subject, severities, from, to, cleared, deed }) => ({
      code,
      subject,
      severity: (severities.findLast((one) => one.atMs <= atMs) ?? severities[0])?.severity ?? 'notice',
      since: from,
      until: to,
      cleared,
      deed,
    })),
    counted: rows.hours.filter(
      // In a semaphore, holds that are only counted may have held further slots.
      ({ subject, holds: n }) => n > 0 && !(holds.get(subjectId(subject)) ?? []).some(heldAlone),
    ),
  };
}
