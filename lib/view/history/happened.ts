/** The entries that a reader looks for first: losses, removals, unusually long holds, changed limits, gaps. Pure. */
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import type { FindingEpisode, Gap, Hold, LimitChange } from '@/lib/domain/history/episode';
import { isLong, type UsualLength } from '@/lib/domain/history/usual';
import { subjectId } from '@/lib/domain/model';

export type Happening =
  | { readonly kind: 'ended'; readonly id: string; readonly atMs: number; readonly hold: Hold }
  /** A hold that lasted, or lasts, longer than nearly all others of its subject. */
  | {
      readonly kind: 'long';
      readonly id: string;
      readonly atMs: number;
      readonly hold: Hold;
      readonly usual: UsualLength;
    }
  | { readonly kind: 'limit'; readonly id: string; readonly atMs: number; readonly limit: LimitChange }
  /** A lock that changes hands faster than its clients can use it. */
  | {
      readonly kind: 'flapping';
      readonly id: string;
      readonly atMs: number;
      readonly finding: FindingEpisode;
    }
  | { readonly kind: 'gap'; readonly id: string; readonly atMs: number; readonly gap: Gap };

/**
 * Adds all losses of the same time (`ends=lost`) to an answer that was cut. The rows stay sorted by their beginning.
 */
export function withLosses(
  answer: HistoryAnswer,
  losses: Pick<HistoryAnswer, 'episodes' | 'waits'>,
): HistoryAnswer {
  const joined = <R extends Pick<Hold, 'id' | 'from'>>(
    rows: readonly R[],
    more: readonly R[],
  ): readonly R[] =>
    [...new Map([...more, ...rows].map((row) => [row.id, row])).values()].sort(
      (a, b) => a.from.atMs - b.from.atMs,
    );
  return {
    ...answer,
    episodes: joined(answer.episodes, losses.episodes),
    waits: joined(answer.waits, losses.waits),
  };
}

export const isLost = ({ to, end }: Hold): boolean => to !== null && end !== null && end !== 'released';

/** Newest first. `lostOnly`: only holds that ended otherwise than by a release. */
export function happenedIn(
  {
    episodes,
    findings,
    limits,
    gaps,
    usual = [],
  }: Pick<HistoryAnswer, 'episodes' | 'findings' | 'limits' | 'gaps' | 'usual'>,
  nowMs: number,
  lostOnly: boolean,
): readonly Happening[] {
  const lost = episodes.filter(isLost).map((hold): Happening => {
    return { kind: 'ended', id: hold.id, atMs: hold.to?.atMs ?? nowMs, hold };
  });
  const others = lostOnly
    ? []
    : [
        ...longHolds(episodes, usual, nowMs),
        ...limits.map((limit): Happening => ({ kind: 'limit', id: limit.id, atMs: limit.at.atMs, limit })),
        ...findings
          .filter(({ code }) => code === 'flapping')
          .map(
            (finding): Happening => ({ kind: 'flapping', id: finding.id, atMs: finding.from.atMs, finding }),
          ),
        ...gaps.map((gap): Happening => ({ kind: 'gap', id: gap.id, atMs: gap.fromMs, gap })),
      ];
  return [...lost, ...others].sort((a, b) => b.atMs - a.atMs);
}

function longHolds(
  episodes: readonly Hold[],
  usual: readonly UsualLength[],
  nowMs: number,
): readonly Happening[] {
  const bySubject = new Map(usual.map((one) => [subjectId(one.subject), one]));
  return episodes.flatMap((hold): readonly Happening[] => {
    const usual = bySubject.get(subjectId(hold.subject));
    if (usual === undefined || isLost(hold) || !isLong(hold, usual, nowMs)) return [];
    return [{ kind: 'long', id: hold.id, atMs: hold.to?.atMs ?? nowMs, hold, usual: usual }];
  });
}
