/** A large world's part in the board's first document: its first rows, and counts of the others. */

import { concernedBy } from '@/lib/domain/findings/finding';
import { type Subject, subjectId } from '@/lib/domain/model';
import { rowName } from '@/lib/domain/source';
import { renewalName } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type BoardFacts, boardFacts } from '@/lib/i18n/sentences';
import { type BoardRow, type KeptRows, rowNeedsHuman, rowsOf } from '@/lib/view/board-rows';
import { searchRows, sessionsInstead } from '@/lib/view/search/find';
import { readPasted } from '@/lib/view/search/line';
import { type AddressQuery, queryOf, roomParameters } from './parameters';
import { type BoardQuery, filterRows, optionsOf, orderRows, type Show } from './query';

/** The board's knowledge of the rows that are still to come. */
export interface BoardAhead {
  readonly query: BoardQuery;
  readonly facts: BoardFacts;
  /** Rows on the board, and those that match the query. */
  readonly rows: number;
  readonly matching: number;
  /** Sessions that the search finds where it finds no row. */
  readonly sessions: number;
  readonly counts: Readonly<Record<Show, number>>;
  readonly options: ReturnType<typeof optionsOf>;
  /** By name: a group's rows, the number of them that need attention, and whether one of those is urgent. */
  readonly groups: Readonly<
    Record<string, { readonly rows: number; readonly needs: number; readonly urgent: boolean }>
  >;
}

/** `address`: the query of the board's address. `cachedRows`: the row cache of a world that is too large for a browser. */
export function boardOpening(
  snapshot: Snapshot,
  address: AddressQuery,
  cachedRows?: KeptRows,
): {
  readonly rows: Pick<Snapshot, 'locks' | 'semaphores' | 'sessions' | 'renewals' | 'findings'>;
  readonly board: BoardAhead;
} {
  const { sessions, findings } = snapshot;
  const query = queryOf(address);
  // The rest of a world that comes is a moment away.
  const rowsFirst = roomParameters.rows.read(
    cachedRows === undefined ? null : ([address.rows].flat()[0] ?? null),
  );
  const rows = rowsOf(snapshot, cachedRows);
  const hits = cachedRows === undefined ? searchRows(query.q, rows) : searchLarge(query.q, rows);
  const matching = filterRows(rows, query, hits);
  const first = firstOf(orderRows(matching.rows, query, hits), query, rowsFirst);
  const shown = new Set(first);
  const ids = new Set(first.map(({ id }) => id));
  const isShown = (subject: Subject) => ids.has(subjectId(subject));
  const holders = new Set(
    first.flatMap(({ of, holders: held }) => held.map(({ sessionId }) => rowName(of.source, sessionId))),
  );
  const sessionHits = matching.rows.length > 0 ? [] : sessionsInstead(query.q, sessions);
  return {
    rows: {
      locks: rows.flatMap((row) => (shown.has(row) && row.of.kind === 'lock' ? [row.of] : [])),
      semaphores: rows.flatMap((row) => (shown.has(row) && row.of.kind === 'semaphore' ? [row.of] : [])),
      sessions: sessionHits.slice(0, rowsFirst).map(({ of }) => of),
      renewals: (snapshot.renewals ?? []).filter((renewal) => holders.has(renewalName(renewal))),
      findings: findings.filter((finding) => concernedBy(finding).some(isShown)),
    },
    board: {
      query,
      facts: boardFacts(snapshot),
      rows: rows.length,
      matching: matching.rows.length,
      sessions: sessionHits.length,
      counts: matching.counts,
      options: optionsOf(rows),
      groups: query.group ? groupsOf(first, matching.rows) : {},
    },
  };
}

/** With more matches, their closeness no longer matters. */
const closeMax = 5_000;

/**
 * Like `searchRows`, without building all texts of each row. It only examines rows whose name, holders or waiters
 * contain a key or an id of the text, or its longest word. No typos.
 */
function searchLarge(text: string, rows: readonly BoardRow[]): ReturnType<typeof searchRows> {
  const { readings, ids, keys, shortened } = readPasted(text);
  const words = readings.flat();
  if (words.length === 0) return null;
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a));
  const parts = [...new Set([...ids, ...keys, ...shortened.map(([head]) => head), longest])];
  const has = (text: string) => {
    const low = text.toLowerCase();
    return parts.some((part) => low.includes(part));
  };
  const isNear = ({ name, of, holders }: BoardRow) =>
    has(name) ||
    [...holders, ...(of.kind === 'semaphore' ? of.waiters : [])].some(
      ({ label, sessionId }) => has(label) || has(sessionId),
    );
  const near = rows.filter(isNear);
  return near.length > closeMax
    ? near.map((of) => ({ of, closeness: 'part-of-name' as const }))
    : searchRows(text, near);
}

/** The rows that fill a window. A closed group needs only one, for its head. */
function firstOf(ordered: readonly BoardRow[], { group, closed }: BoardQuery, rowsFirst: number): BoardRow[] {
  const first: BoardRow[] = [];
  const heads = new Set<string>();
  for (const row of ordered) {
    if (first.length >= rowsFirst) break;
    const isHead = !heads.has(row.group);
    heads.add(row.group);
    if (!group || isHead || !closed.includes(row.group)) first.push(row);
  }
  return first;
}

function groupsOf(first: readonly BoardRow[], all: readonly BoardRow[]): BoardAhead['groups'] {
  const names = new Set(first.map((row) => row.group));
  const groups: Record<string, { rows: number; needs: number; urgent: boolean }> = {};
  for (const name of names) {
    const own = all.filter((row) => row.group === name);
    groups[name] = {
      rows: own.length,
      needs: own.filter(rowNeedsHuman).length,
      urgent: own.some(({ urgency }) => urgency === 0),
    };
  }
  return groups;
}
