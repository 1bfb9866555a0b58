/** After an action: who was removed, who came next, and since when nothing was wrong. Pure. */
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { type DeedMark, type Hold, wasLost } from '@/lib/domain/history/episode';
import { hourLengthMs } from '@/lib/domain/history/hour-book';
import { subjectId } from '@/lib/domain/model';

export interface Recovery {
  /** Of the hold that was ended; it is what a browser dismisses. */
  readonly id: string;
  readonly removed: string;
  readonly deed: DeedMark;
  /** `null`: nobody holds since. */
  readonly next: string | null;
  /** Holds of then are only counted, so that nobody knows who came next. */
  readonly counted: boolean;
  /** Until then, in milliseconds; `null`: it was not seen to begin. */
  readonly afterMs: number | null;
  /**
   * Since then somebody holds or held, no finding was open on it, no hold was lost and it was watched; `null`: not so now.
   */
  readonly stableSinceMs: number | null;
}

type Read = Pick<HistoryAnswer, 'episodes' | 'findings' | 'gaps' | 'hours'>;

/** An older action is no news, dismissed or not. */
export const newsMs = 24 * 60 * 60 * 1_000;

const endedBefore = (a: Hold, b: Hold) => (a.to?.atMs ?? 0) - (b.to?.atMs ?? 0);

/** Of one subject. `null`: no action ended a hold within `newsMs`. */
export function recoveryOf(read: Read, nowMs: number): Recovery | null {
  const { episodes } = read;
  const last = episodes
    .filter(({ to, deed }) => to !== null && deed !== null && nowMs - deed.atMs <= newsMs)
    .sort(endedBefore)
    .at(-1);
  if (last?.to == null || last.deed === null) return null;
  const endMs = last.to.atMs;
  // Its end may be seen a moment after the next one's beginning.
  const freeMs = Math.min(endMs, last.deed.atMs);
  const next = episodes
    .filter(({ id, from }) => id !== last.id && from.atMs >= freeMs)
    .sort((a, b) => a.from.atMs - b.from.atMs)[0];
  const isCounted = read.hours.some(
    ({ holds, hourMs }) =>
      holds > 0 && hourMs + hourLengthMs > endMs && (next === undefined || hourMs <= next.from.atMs),
  );
  return {
    id: last.id,
    counted: isCounted,
    removed: last.who.label,
    deed: last.deed,
    next: next?.who.label ?? null,
    afterMs:
      next === undefined || next.from.basis === 'at-least' || next.from.atMs < endMs
        ? null
        : next.from.atMs - endMs,
    stableSinceMs: next === undefined ? null : stableSince(read, last, Math.max(endMs, next.from.atMs)),
  };
}

function stableSince(
  { episodes, findings, gaps }: Omit<Read, 'hours'>,
  { id, subject }: Hold,
  afterMs: number,
): number | null {
  const own = subjectId(subject);
  // What opens as a notice only is no trouble.
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
