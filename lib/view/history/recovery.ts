/** The recovery after an action: the removed holder, the next one, and the time without trouble. Pure. */
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { type DeedMark, type Hold, wasLost } from '@/lib/domain/history/episode';
import { hourLengthMs } from '@/lib/domain/history/hour-book';
import { subjectId } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { freshMs } from './timeline';

export interface Recovery {
  /** The id of the ended hold. A browser dismisses the recovery by it. */
  readonly id: string;
  readonly removed: string;
  readonly deed: DeedMark;
  /** `null`: no holder since. */
  readonly next: string | null;
  /** Holds of that time are only counted, so the next holder is unknown. */
  readonly counted: boolean;
  /** The first instant between the removal and `next`, or now, that nobody watched. Holds since then may be missing. */
  readonly unseenFromMs: number | null;
  /** Time until the next hold, in milliseconds; `null`: its beginning was not seen. */
  readonly afterMs: number | null;
  /**
   * Start of the time with a next holder, without gaps, lost holds or open findings above a notice; `null`: not so now.
   */
  readonly stableSinceMs: number | null;
}

type Read = Pick<HistoryAnswer, 'episodes' | 'findings' | 'gaps' | 'hours' | 'awaySinceMs' | 'to'>;

/** Actions older than this are not shown. */
export const newsMs = 24 * 60 * 60 * 1_000;

const endedBefore = (a: Hold, b: Hold) => (a.to?.atMs ?? 0) - (b.to?.atMs ?? 0);

/** The recovery of one subject. `null`: no action ended a hold within `newsMs`. */
export function recoveryOf(read: Read, nowMs: number): Recovery | null {
  const { episodes } = read;
  const last = episodes
    .filter(({ to, deed }) => to !== null && deed !== null && nowMs - deed.atMs <= newsMs)
    .sort(endedBefore)
    .at(-1);
  if (last?.to == null || last.deed === null) return null;
  const endMs = last.to.atMs;
  // The end may be seen a moment after the next beginning.
  const freeMs = Math.min(endMs, last.deed.atMs);
  const next = episodes
    .filter(({ id, from }) => id !== last.id && from.atMs >= freeMs)
    .sort((a, b) => a.from.atMs - b.from.atMs)[0];
  const isCounted = read.hours.some(
    ({ holds, hourMs }) =>
      holds > 0 && hourMs + hourLengthMs > endMs && (next === undefined || hourMs <= next.from.atMs),
  );
  const unseenFromMs = unseenFrom(read, last.subject.source, freeMs, next?.from.atMs ?? nowMs);
  return {
    id: last.id,
    counted: isCounted,
    removed: last.who.label,
    deed: last.deed,
    next: next?.who.label ?? null,
    unseenFromMs,
    afterMs:
      unseenFromMs !== null || next === undefined || next.from.basis === 'at-least' || next.from.atMs < endMs
        ? null
        : next.from.atMs - endMs,
    stableSinceMs:
      next === undefined ? null : stableSince(read, last, Math.max(endMs, next.from.atMs), nowMs),
  };
}

/** The instant after which this answer knows nothing; `null`: it reaches the present. */
function knownUntil({ awaySinceMs, to }: Pick<Read, 'awaySinceMs' | 'to'>, nowMs: number): number | null {
  if (awaySinceMs !== null) return awaySinceMs;
  return nowMs - to > freshMs ? to : null;
}

/** The first instant from `fromMs` to `untilMs` that nobody watched. */
function unseenFrom(read: Read, of: SourceId, fromMs: number, untilMs: number): number | null {
  const knownUntilMs = knownUntil(read, untilMs);
  const begins = [
    ...read.gaps
      .filter(({ source, toMs }) => source === of && (toMs === null || toMs > fromMs))
      .map((gap) => gap.fromMs),
    ...(knownUntilMs === null ? [] : [knownUntilMs]),
  ].filter((ms) => ms < untilMs);
  return begins.length === 0 ? null : Math.max(fromMs, Math.min(...begins));
}

function stableSince(
  read: Omit<Read, 'hours'>,
  { id, subject }: Hold,
  afterMs: number,
  nowMs: number,
): number | null {
  if (knownUntil(read, nowMs) !== null) return null;
  const { episodes, findings, gaps } = read;
  const own = subjectId(subject);
  // A finding that stayed a notice is no trouble.
  const troubles = findings.filter(
    (finding) =>
      subjectId(finding.subject) === own && finding.severities.some(({ severity }) => severity !== 'notice'),
  );
  const unseen = gaps.filter(({ source }) => source === subject.source);
  const ends = [
    ...troubles.map(({ to }) => to?.atMs ?? null),
    ...unseen.map(({ toMs }) => toMs),
    ...episodes.filter((hold) => hold.id !== id && wasLost(hold)).map(({ to }) => to?.atMs ?? null),
  ];
  return ends.includes(null) ? null : Math.max(afterMs, ...ends.filter((ms) => ms !== null));
}
