/** What the list of sessions shows, as pure functions over the model. */
import { matcher } from '@/components/board/query';
import { type Session, shortId, subjectId } from '@/lib/domain/model';

export const sessionShows = ['all', 'holding', 'wanting', 'idle', 'endless'] as const;
export type SessionShow = (typeof sessionShows)[number];

const tests: Readonly<Record<SessionShow, (session: Session) => boolean>> = {
  all: () => true,
  holding: (session) => session.holds.length > 0,
  wanting: (session) => session.wants.length > 0,
  idle: (session) => session.holds.length === 0 && session.wants.length === 0,
  endless: (session) => session.ttlMs === null,
};

const made = new WeakMap<Session, string>();

function haystack(session: Session): string {
  const known = made.get(session);
  if (known !== undefined) return known;
  const subjects = [...session.holds, ...session.wants].map(subjectId);
  const text = [session.id, shortId(session.id), session.name, session.node, ...subjects]
    .join('\n')
    .toLowerCase();
  made.set(session, text);
  return text;
}

/** The sessions to show, those that hold most first, and how many each chip would show. */
export function filterSessions(
  sessions: readonly Session[],
  query: { readonly q: string; readonly show: SessionShow; readonly node: string | null },
): { readonly sessions: Session[]; readonly counts: Readonly<Record<SessionShow, number>> } {
  const matches = matcher(query.q);
  const counts = { all: 0, holding: 0, wanting: 0, idle: 0, endless: 0 };
  const shown: Session[] = [];
  for (const session of sessions) {
    if (query.node !== null && session.node !== query.node) continue;
    if (!matches(haystack(session))) continue;
    for (const show of sessionShows) if (tests[show](session)) counts[show] += 1;
    if (tests[query.show](session)) shown.push(session);
  }
  return { sessions: shown.sort(compare), counts };
}

function compare(a: Session, b: Session): number {
  if (a.node !== b.node) return a.node < b.node ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
