/** What a reader of a history looks for first: losses, removals, unusually long holds, changed limits, gaps. Pure. */
import {
  type FindingEpisode,
  type Gap,
  type History,
  type Hold,
  type LimitChange,
  lastedMs,
  wasSeenWhole,
} from '@/lib/domain/history/episode';
import { subjectId } from '@/lib/domain/model';

export type Happening =
  /** It ended otherwise than by being released. */
  | { readonly kind: 'ended'; readonly id: string; readonly atMs: number; readonly hold: Hold }
  /** It lasted, or lasts, longer than nearly all others of its subject. */
  | {
      readonly kind: 'long';
      readonly id: string;
      readonly atMs: number;
      readonly hold: Hold;
      /** Of its subject in this time, in milliseconds. */
      readonly p95Ms: number;
    }
  | { readonly kind: 'limit'; readonly id: string; readonly atMs: number; readonly limit: LimitChange }
  /** It changed hands faster than its clients can use it. */
  | {
      readonly kind: 'flapping';
      readonly id: string;
      readonly atMs: number;
      readonly finding: FindingEpisode;
    }
  | { readonly kind: 'gap'; readonly id: string; readonly atMs: number; readonly gap: Gap };

/** Of fewer holds a p95 says nothing. */
const holdsMin = 20;
/** A hold just beyond the p95 is no news. */
const longBy = 1.5;

function p95Of(lengths: readonly number[]): number | null {
  if (lengths.length < holdsMin) return null;
  const sorted = [...lengths].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? null;
}

export const isLost = ({ to, end }: Hold): boolean => to !== null && end !== null && end !== 'released';

/** Newest first. `lostOnly`: what ended otherwise than by being released. */
export function happenedIn(
  { episodes, findings, limits, gaps }: Pick<History, 'episodes' | 'findings' | 'limits' | 'gaps'>,
  nowMs: number,
  lostOnly: boolean,
): readonly Happening[] {
  const lost = episodes.filter(isLost).map((hold): Happening => {
    return { kind: 'ended', id: hold.id, atMs: hold.to?.atMs ?? nowMs, hold };
  });
  const others = lostOnly
    ? []
    : [
        ...longHolds(episodes, nowMs),
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

function longHolds(episodes: readonly Hold[], nowMs: number): readonly Happening[] {
  const bySubject = new Map<string, Hold[]>();
  for (const hold of episodes) {
    const id = subjectId(hold.subject);
    const known = bySubject.get(id);
    if (known === undefined) bySubject.set(id, [hold]);
    else known.push(hold);
  }
  return [...bySubject.values()].flatMap((holds) => {
    const p95Ms = p95Of(holds.filter(wasSeenWhole).map((hold) => lastedMs(hold, nowMs)));
    if (p95Ms === null) return [];
    return holds
      .filter((hold) => !isLost(hold) && lastedMs(hold, nowMs) > p95Ms * longBy)
      .map((hold): Happening => ({ kind: 'long', id: hold.id, atMs: hold.to?.atMs ?? nowMs, hold, p95Ms }));
  });
}
