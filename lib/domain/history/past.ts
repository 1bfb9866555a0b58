/**
 * The world as it was at one instant, made of what is kept: rows in the shape of the snapshot, with what the history
 * knows. Values, flags, limits of time and renewals are absent, not empty.
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
  /** When this was over, as it is known now; `null`: it still is so. */
  readonly until: Moment | null;
  readonly end: End | null;
  /** The action of Signalbox that ended it. */
  readonly deed: DeedMark | null;
}

export interface PastHolder extends PastParty<HoldEnd> {
  /** As it was judged then. */
  readonly verdict: Verdict;
  /** How it had a read-write lock. Absent: alone. */
  readonly mode?: 'read' | 'write';
}

export type PastWaiter = PastParty<WaitEnd>;

interface PastHeld {
  readonly source: SourceId;
  readonly holders: readonly PastHolder[];
  /** Absent: not known who waited, if anybody. */
  readonly waiters?: readonly PastWaiter[];
}

export interface PastLock extends PastHeld {
  readonly kind: 'lock';
  readonly key: string;
}

export interface PastSemaphore extends PastHeld {
  readonly kind: 'semaphore';
  readonly prefix: string;
  /** Absent: no change of it is kept that would tell. */
  readonly limit?: number;
}

export interface PastFinding extends Pick<FindingEpisode, 'code' | 'subject' | 'cleared' | 'deed'> {
  /** As it was then. */
  readonly severity: Severity;
  readonly since: Moment;
  readonly until: Moment | null;
}

/**
 * `seen`: its rows are all that was held then, but for what is only counted. `unseen`: nothing is known of it then.
 */
export interface PastSource {
  readonly id: SourceId;
  readonly state: 'seen' | 'unseen';
  /** For `unseen`. `not-kept`: before what is kept of it. `not-written`: what was seen then is not in the store, or not yet. */
  readonly why: Gap['why'] | 'not-kept' | 'not-written' | null;
  /** Of the gap. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface PastWorld {
  readonly sources: readonly PastSource[];
  /** Held, or waited for. Whether another one was there and free is not kept. */
  readonly locks: readonly PastLock[];
  readonly semaphores: readonly PastSemaphore[];
  readonly findings: readonly PastFinding[];
  /** Of that hour: holds that are only counted, so that it is not known whether one was at this instant. */
  readonly counted: readonly HourFigures[];
}

/**
 * The nearest instant, on one side of another, at which what is shown changed: a hold, a wait or a finding began or ended, or watching
 * stopped or began again.
 */
export interface PastChange {
  /** `null`: none was found. */
  readonly atMs: number | null;
  /**
   * All that is kept of its side was looked at; otherwise a nearer one, or one at all, may have been missed. False where some is only
   * counted, or not written yet; always beside rows of others.
   */
  readonly complete: boolean;
}

/** What `GET /api/v1/history/at` answers. */
export interface PastAnswer extends PastWorld {
  readonly previous: PastChange;
  readonly next: PastChange;
  readonly at: number;
  /** Since when holds are kept; `null`: never. */
  readonly keptSinceMs: number | null;
  /** Since when nothing is kept, for the store does not answer; `null`: it is kept. */
  readonly awaySinceMs: number | null;
  /** `SIGNALBOX_HISTORY=off`. */
  readonly off: boolean;
  /** There are more rows of a kind: a longer prefix finds them. */
  readonly more: boolean;
}

export interface PastRows extends History {
  readonly hours: readonly HourFigures[];
}

/** What is known of the store itself. */
export interface KeptTime {
  readonly keptSinceMs: number | null;
  /** Everything before is written. */
  readonly writtenUntilMs: number;
  /** Sources that were watched before this instant, as some row of theirs proves. */
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

/** It began, and was not over. */
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

/** The limit that a change before or after this instant tells. */
function limitAt(changes: readonly LimitChange[], atMs: number, kept: KeptTime): number | undefined {
  const { source } = changes[0]?.subject ?? {};
  const span = source === undefined ? undefined : kept.unbroken.get(source);
  if (span === undefined) return undefined;
  const own = changes.filter(({ at }) => at.atMs >= span.fromMs && at.atMs <= span.toMs);
  const before = own.findLast(({ at }) => at.atMs <= atMs);
  return before === undefined ? own[0]?.before : before.after;
}

/** Nobody waited at any time of one of these holds: the queue was empty. Otherwise only names tell. */
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

/** `rows`: what the reader may see of that instant; of limits each change before and after it. */
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
      // Of several slots, others may have been held by holds that are only counted.
      ({ subject, holds: n }) => n > 0 && !(holds.get(subjectId(subject)) ?? []).some(heldAlone),
    ),
  };
}
