/** What of a large world stands in the first document of the board: the rows that it shows first, and the others in numbers. */
import { searchRows, sessionsInstead } from '@/components/search/find';
import { concernedBy } from '@/lib/domain/finding';
import { type Subject, subjectId } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import { type BoardFacts, boardFacts } from '@/lib/words/sentences';
import { type Asked, queryOf, roomParameters } from './asked';
import { type BoardQuery, filterRows, optionsOf, orderRows, type Show } from './query';
import { type BoardRow, rowNeedsHuman, rowsOf } from './rows';

/** What the board knows of the rows that are still to come. */
export interface BoardAhead {
  readonly query: BoardQuery;
  readonly facts: BoardFacts;
  /** Rows on the board, and those that the query lets through. */
  readonly rows: number;
  readonly matching: number;
  /** Sessions that the search finds where it finds no row. */
  readonly sessions: number;
  readonly counts: Readonly<Record<Show, number>>;
  readonly options: ReturnType<typeof optionsOf>;
  /** By name: rows of a group, and those of them that need a human. */
  readonly groups: Readonly<Record<string, { readonly rows: number; readonly needs: number }>>;
}

/** `asked`: the query of the board's address. */
export function boardOpening(
  snapshot: Snapshot,
  asked: Asked,
): {
  readonly rows: Pick<Snapshot, 'locks' | 'semaphores' | 'sessions' | 'renewals' | 'findings'>;
  readonly board: BoardAhead;
} {
  const { sessions, findings } = snapshot;
  const query = queryOf(asked);
  const rowsFirst = roomParameters.rows.read([asked.rows].flat()[0] ?? null);
  const rows = rowsOf(snapshot);
  const hits = searchRows(query.q, rows);
  const matching = filterRows(rows, query, hits);
  const first = firstOf(orderRows(matching.rows, query, hits), query, rowsFirst);
  const shown = new Set(first);
  const ids = new Set(first.map(({ id }) => id));
  const isShown = (subject: Subject) => ids.has(subjectId(subject));
  const holders = new Set(first.flatMap((row) => row.holders.map(({ sessionId }) => sessionId)));
  const found = matching.rows.length > 0 ? [] : sessionsInstead(query.q, sessions);
  return {
    rows: {
      locks: rows.flatMap((row) => (shown.has(row) && row.of.kind === 'lock' ? [row.of] : [])),
      semaphores: rows.flatMap((row) => (shown.has(row) && row.of.kind === 'semaphore' ? [row.of] : [])),
      sessions: found.slice(0, rowsFirst).map(({ of }) => of),
      renewals: (snapshot.renewals ?? []).filter(({ id }) => holders.has(id)),
      findings: findings.filter((finding) => concernedBy(finding).some(isShown)),
    },
    board: {
      query,
      facts: boardFacts(snapshot),
      rows: rows.length,
      matching: matching.rows.length,
      sessions: found.length,
      counts: matching.counts,
      options: optionsOf(rows),
      groups: query.group ? groupsOf(first, matching.rows) : {},
    },
  };
}

/** As many rows as fill a window; of a group that is closed one is enough for its head. */
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
  const groups: Record<string, { rows: number; needs: number }> = {};
  for (const name of names) {
    const own = all.filter((row) => row.group === name);
    groups[name] = { rows: own.length, needs: own.filter(rowNeedsHuman).length };
  }
  return groups;
}
