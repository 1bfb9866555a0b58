/** One search over everything in view, and what Enter opens. */

import type { Session, Subject } from '@/lib/domain/model';
import type { BoardRow } from '@/lib/view/board-rows';
import { keeps } from '@/lib/view/keeps';
import { readPasted, unseenIn } from './line';
import { type Hit, isLiteral, meant, search, searchAgain } from './match';
import type { Pasted } from './pasted';
import { type Hay, hayOf } from './search-index';

export interface Found {
  readonly rows: readonly Hit<BoardRow>[];
  readonly sessions: readonly Hit<Session>[];
  /** What was plainly meant, or `null` when a person has to choose. */
  readonly target: Subject | null;
}

/**
 * The board and the field above it ask the same at the same time: the second one gets the first one's answer. And of a
 * world of which little has changed the next answer is made from the last one.
 */
function lastKept<T>(hayOf: (of: T) => Hay, read?: (text: string) => Pasted) {
  let last: { text: string; all: readonly T[]; hits: readonly Hit<T>[] } | null = null;
  return (text: string, all: readonly T[]): readonly Hit<T>[] | null => {
    const known = last?.text === text ? last : null;
    if (known?.all === all) return known.hits;
    const again = known === null ? null : searchAgain(text, { last: known, all }, hayOf, read);
    const hits = again ?? search(text, all, hayOf, read);
    if (keeps) last = hits === null ? null : { text, all, hits };
    return hits;
  };
}

/** The locks and semaphores that match, closest first; `null` when nothing was asked. */
export const searchRows = lastKept<BoardRow>((row) => hayOf(row.of));

/** The sessions that match, closest first; `null` when nothing was asked. A key that a line names is not the name of a session. */
export const searchSessions = lastKept<Session>(hayOf, (text) => ({ ...readPasted(text), named: [] }));

/**
 * The sessions that match where no row does. A line that names a key is not about a session that has one of the other words
 * for its name.
 */
export function sessionsInstead(text: string, all: readonly Session[]): readonly Hit<Session>[] {
  const found = searchSessions(text, all) ?? [];
  const isAboutKeys = readPasted(text).named.length > 0;
  return isAboutKeys ? found.filter(({ closeness }) => isLiteral(closeness)) : found;
}

/** The keys that a pasted line is about and that are not in view, as they stand in it. */
export function unseenNames(text: string, rows: readonly BoardRow[]): readonly string[] {
  return unseenIn(text, () => rows.map(({ of }) => hayOf(of)));
}

export function subjectOfRow({ of }: BoardRow): Subject {
  return of.kind === 'lock' ? { kind: 'lock', key: of.key } : { kind: 'semaphore', prefix: of.prefix };
}

/**
 * Finds among locks, semaphores and sessions. Who pastes the id of a session wants what hangs on it: the one lock or
 * semaphore that it holds or waits for; the session itself where there are several or none. On the list of sessions
 * they come first.
 */
export function find(
  text: string,
  among: { readonly rows: readonly BoardRow[]; readonly sessions: readonly Session[] },
  first: 'rows' | 'sessions' = 'rows',
): Found {
  const rows = searchRows(text, among.rows) ?? [];
  const instead = rows.length === 0 && first === 'rows';
  const sessions = (instead ? sessionsInstead : searchSessions)(text, among.sessions) ?? [];
  const row = meant(rows);
  const session = meant(sessions);
  const ofRow = row === null ? null : subjectOfRow(row);
  const ofSession = session === null ? null : ({ kind: 'session', id: session.id } as const);
  if (first === 'sessions' && sessions.length > 0) return { rows, sessions, target: ofSession };
  const manyById = rows[0]?.closeness === 'id' && sessions[0]?.closeness === 'id';
  const target = ofRow ?? (rows.length === 0 || manyById ? ofSession : null);
  return { rows, sessions, target };
}
