/** Filters and counts the list of sessions. Pure. */

import type { Session } from '@/lib/domain/model';
import { naturalCompare } from '@/lib/view/natural-order';
import type { Hit } from '@/lib/view/search/match';

export const sessionShows = ['all', 'holding', 'wanting', 'idle', 'endless'] as const;
export type SessionShow = (typeof sessionShows)[number];

const tests: Readonly<Record<SessionShow, (session: Session) => boolean>> = {
  all: () => true,
  holding: (session) => session.holds.length > 0,
  wanting: (session) => session.wants.length > 0,
  idle: (session) => session.holds.length === 0 && session.wants.length === 0,
  endless: (session) => session.ttlMs === null,
};

/** The number of sessions under each chip. */
export function countSessions(sessions: readonly Session[]): Record<SessionShow, number> {
  const counts = { all: 0, holding: 0, wanting: 0, idle: 0, endless: 0 };
  for (const session of sessions)
    for (const show of sessionShows) if (tests[show](session)) counts[show] += 1;
  return counts;
}

/**
 * The sessions of a query, and the count of each chip. They are sorted by node and name, or the closest hits come first
 * during a search.
 */
export function filterSessions(
  sessions: readonly Session[],
  query: { readonly show: SessionShow; readonly node: string | null; readonly source: string | null },
  hits: readonly Hit<Session>[] | null,
): { readonly sessions: Session[]; readonly counts: Readonly<Record<SessionShow, number>> } {
  const found = hits === null ? sessions : hits.map(({ of }) => of);
  const there = found.filter(
    ({ node, source }) =>
      (query.node === null || node === query.node) && (query.source === null || source === query.source),
  );
  const shown = there.filter(tests[query.show]);
  return { sessions: hits === null ? shown.sort(compare) : shown, counts: countSessions(there) };
}

function compare(a: Session, b: Session): number {
  return naturalCompare(a.node, b.node) || naturalCompare(a.name, b.name) || (a.id < b.id ? -1 : 1);
}
