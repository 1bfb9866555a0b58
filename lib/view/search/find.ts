/** One search over everything in view, and the target of Enter. */

import type { Session, Subject } from '@/lib/domain/model';
import { sessionSubject, subjectOf } from '@/lib/domain/subject';
import type { BoardRow } from '@/lib/view/board-rows';
import { cachesViews } from '@/lib/view/view-cache';
import { readPasted, unseenIn } from './line';
import { type Hit, isLiteral, meant, search, searchAgain } from './match';
import type { Pasted } from './pasted';
import { type Hay, hayOf } from './search-index';

export interface SearchResult {
  readonly rows: readonly Hit<BoardRow>[];
  readonly sessions: readonly Hit<Session>[];
  /** The plain target, or `null` when a person has to choose. */
  readonly target: Subject | null;
}

/**
 * Caches the last answer, because the board and its field ask for the same at once. After a small change of the world,
 * the next answer is made from it.
 */
function lastKept<T>(hayOf: (of: T) => Hay, read?: (text: string) => Pasted) {
  let last: { text: string; all: readonly T[]; hits: readonly Hit<T>[] } | null = null;
  return (text: string, all: readonly T[]): readonly Hit<T>[] | null => {
    const known = last?.text === text ? last : null;
    if (known?.all === all) return known.hits;
    const narrowed = known === null ? null : searchAgain(text, { last: known, all }, hayOf, read);
    const hits = narrowed ?? search(text, all, hayOf, read);
    if (cachesViews) last = hits === null ? null : { text, all, hits };
    return hits;
  };
}

/** The locks and semaphores that match, closest first; `null` for an empty search. */
export const searchRows = lastKept<BoardRow>((row) => hayOf(row.of));

/**
 * The sessions that match, closest first; `null` for an empty search. A key in a pasted line is not a session's
 * name.
 */
export const searchSessions = lastKept<Session>(hayOf, (text) => ({ ...readPasted(text), named: [] }));

/**
 * The sessions to show for a text that matches no row. A line that names a key is not about sessions whose names are
 * among its other words.
 */
export function sessionsInstead(text: string, all: readonly Session[]): readonly Hit<Session>[] {
  const hits = searchSessions(text, all) ?? [];
  const isAboutKeys = readPasted(text).named.length > 0;
  return isAboutKeys ? hits.filter(({ closeness }) => isLiteral(closeness)) : hits;
}

/** The keys of a pasted line that are not in view, as they stand in it. */
export function unseenNames(text: string, rows: readonly BoardRow[]): readonly string[] {
  return unseenIn(text, () => rows.map(({ of }) => hayOf(of)));
}

export const subjectOfRow = ({ of }: BoardRow): Subject => subjectOf(of);

/**
 * A pasted session id means the one lock or semaphore that the session holds or waits for. Where there are several or
 * none, it means the session. On the list of sessions, sessions come first.
 */
export function find(
  text: string,
  among: { readonly rows: readonly BoardRow[]; readonly sessions: readonly Session[] },
  first: 'rows' | 'sessions' = 'rows',
): SearchResult {
  const rows = searchRows(text, among.rows) ?? [];
  const instead = rows.length === 0 && first === 'rows';
  const sessions = (instead ? sessionsInstead : searchSessions)(text, among.sessions) ?? [];
  const row = meant(rows);
  const session = meant(sessions);
  const ofRow = row === null ? null : subjectOfRow(row);
  const ofSession = session === null ? null : sessionSubject(session);
  if (first === 'sessions' && sessions.length > 0) return { rows, sessions, target: ofSession };
  const manyById = rows[0]?.closeness === 'id' && sessions[0]?.closeness === 'id';
  const target = ofRow ?? (rows.length === 0 || manyById ? ofSession : null);
  return { rows, sessions, target };
}
