/**
 * What of a world stands in the first document. A small world stands in it as a whole. Of a large one the board gets the
 * rows that it shows first, and what it says of all the others in numbers; the stream brings the world a moment later.
 * Ten thousand rows in a document are 14 MB, which a browser reads for seconds before it shows the first of them.
 */
import { searchRows, sessionsInstead } from '@/components/search/find';
import { concernedBy } from '@/lib/domain/finding';
import { type Subject, subjectId } from '@/lib/domain/model';
import { type Need, needOf } from '@/lib/domain/need';
import type { Snapshot } from '@/lib/domain/snapshot';
import { type BoardFacts, boardFacts } from '@/lib/words/sentences';
import { type Asked, queryOf } from './asked';
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

/** What a page knows of a world of which it does not have everything yet. */
export interface Ahead {
  readonly need: Need;
  /** `null` on a page that shows no rows. */
  readonly board: BoardAhead | null;
}

export interface Opening {
  readonly snapshot: Snapshot;
  /** `null`: the snapshot is the whole world. */
  readonly ahead: Ahead | null;
}

/** Of fewer rows than this nothing is kept back: to send them costs less than to draw the board twice. */
const wholeMax = 300;
/** More than the largest window shows. */
const rowsFirst = 60;

/** `asked`: the query of the address of the board; `null` for a page that shows nothing of the world but its header. */
export function openingOf(snapshot: Snapshot, asked: Asked | null): Opening {
  const { locks, semaphores, sessions, findings } = snapshot;
  if (locks.length + semaphores.length + sessions.length + findings.length <= wholeMax)
    return { snapshot, ahead: null };
  const need = needOf(findings);
  const bare: Snapshot = { ...snapshot, locks: [], semaphores: [], sessions: [], findings: [], renewals: [] };
  if (asked === null) return { snapshot: bare, ahead: { need, board: null } };
  const query = queryOf(asked);
  const rows = rowsOf(snapshot);
  const hits = searchRows(query.q, rows);
  const matching = filterRows(rows, query, hits);
  const first = firstOf(orderRows(matching.rows, query, hits), query);
  const shown = new Set(first);
  const ids = new Set(first.map(({ id }) => id));
  const isShown = (subject: Subject) => ids.has(subjectId(subject));
  const holders = new Set(first.flatMap((row) => row.holders.map(({ sessionId }) => sessionId)));
  const found = matching.rows.length > 0 ? [] : sessionsInstead(query.q, sessions);
  return {
    snapshot: {
      ...bare,
      locks: rows.flatMap((row) => (shown.has(row) && row.of.kind === 'lock' ? [row.of] : [])),
      semaphores: rows.flatMap((row) => (shown.has(row) && row.of.kind === 'semaphore' ? [row.of] : [])),
      sessions: found.slice(0, rowsFirst).map(({ of }) => of),
      renewals: (snapshot.renewals ?? []).filter(({ id }) => holders.has(id)),
      findings: findings.filter((finding) => concernedBy(finding).some(isShown)),
    },
    ahead: {
      need,
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
    },
  };
}

/** As many rows as fill a window; of a group that is closed one is enough for its head. */
function firstOf(ordered: readonly BoardRow[], { group, closed }: BoardQuery): BoardRow[] {
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
